import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { promisify } from "node:util";
import { createAdminClient } from "admin-server/client";
import { expect, test, vi } from "vitest";
import { makePlace, npmStart, processesOf } from "../../support/start/npm-start.ts";
import { waitFor } from "../../support/wait-for.ts";

// Whole starts, several a test, beside everything else that runs on the machine.
vi.setConfig({ testTimeout: 240_000 });

interface Message {
  to: string;
  text: string;
}

/** The paragraph with the first `curl `, as a script would cut it out. */
const pasteBlockOf = (stdout: string): string => stdout.split(/\n[ \t]*\n/).find((paragraph) => paragraph.includes("curl ")) ?? "";

test("the printed block and the documentation's sample send a message, and a second start finds everything", async () => {
  await using place = await makePlace();
  await using first = await npmStart(place.env, "/_sandbox/messages");
  const password = /Password +(\S+)/.exec(first.stdout())?.[1] ?? "";
  const { stdout, stderr } = await promisify(execFile)("bash", ["-c", pasteBlockOf(first.stdout())]);
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toMatchObject({
    ok: true,
    event: "order.created",
    chat: "sent",
    bindings_run: 1,
    recipients_sent: 1,
    recipients_failed: 0,
  });
  const messages = (await (await fetch(`${place.sandbox}/_sandbox/messages?to=%2B14155550123`)).json()) as Message[];
  expect(messages).toHaveLength(1);
  expect(messages[0]?.text).toContain("Hello Ada, thank you for your order of USD 49.90: Mug x 2, Teapot x 1.");

  const docs = await (await fetch(`${place.gateway}/api/public/docs/bundle`)).text();
  const sample = /^```sh\n(BODY=[\s\S]*?)^```/m.exec(docs.slice(docs.indexOf("\n### Samples")))?.[1] ?? "";
  const [SITE_KEY] = /sk_live_\w+/.exec(first.stdout()) ?? [];
  const [WEBHOOK_SECRET] = /whs_\w+/.exec(first.stdout()) ?? [];
  const env = { ...process.env, BASE_URL: place.gateway, SITE_KEY, WEBHOOK_SECRET };
  const sampled = await promisify(execFile)("bash", ["-c", sample], { env });
  expect(JSON.parse(sampled.stdout)).toMatchObject({ chat: "sent", recipients_sent: 1 });

  expect(await first.kill("SIGTERM")).toEqual({ code: 0, signal: null });
  expect(await processesOf(place.dataDir)).toEqual([]);
  expect(await readdir(place.dataDir)).not.toContain("lock");
  expect(first.stdout()).not.toContain("started again");

  await using second = await npmStart(place.env);
  expect(second.stderr()).not.toMatch(/installing|building/);
  const { token } = await createAdminClient({ url: place.admin }).auth.login.mutate({ email: "demo@example.com", password });
  const admin = createAdminClient({ url: place.admin, token });
  const delivered = await waitFor("the message's delivery in the log", async () => {
    const { items } = await admin.notifications.list.query({});
    return items.find(({ status, toPhone }) => toPhone === "+14155550123" && (status === "delivered" || status === "read"));
  });
  expect(delivered).toMatchObject({ template: "demo_order_confirmation" });
  expect((await admin.sites.list.query({})).items.map(({ name }) => name)).toEqual(["Demo shop"]);
  expect(second.stdout()).not.toMatch(/demo@example\.com|curl |setup code/);
  await second.kill("SIGTERM");
});

test("with an owner of one's own the demo is theirs, and no password is printed", async () => {
  await using place = await makePlace();
  const owner = { email: "ann@example.org", password: "correct horse battery" };
  await using start = await npmStart({ ...place.env, ADMIN_EMAIL: owner.email, ADMIN_PASSWORD: owner.password }, "/_sandbox/messages");
  expect(start.stdout()).toContain("Email      ann@example.org");
  expect(start.stdout()).not.toMatch(/demo@example\.com|correct horse/);
  const { user } = await createAdminClient({ url: place.admin }).auth.login.mutate(owner);
  expect(user).toMatchObject({ email: owner.email, role: "owner" });
  await start.kill("SIGTERM");
});

test("with a platform of one's own there is no sandbox and no demo, but a code for the first sign-up", async () => {
  await using place = await makePlace();
  await using start = await npmStart({ ...place.env, PLATFORM_API_URL: "http://127.0.0.1:9" });
  expect(start.stdout()).toMatch(/setup code: [0-9a-f]{12}\n/);
  expect(start.stdout()).not.toMatch(/Sandbox|curl |Password/);
  await expect(fetch(`${place.sandbox}/_sandbox/messages`)).rejects.toThrow("fetch failed");
  await start.kill("SIGTERM");
});
