import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { promisify, stripVTControlCharacters } from "node:util";
import { createAdminClient } from "admin-server/client";
import { describe, expect, test, vi } from "vitest";
import { signedIn } from "../support/admin.ts";
import { data } from "../support/data.ts";
import { finished, makePlace, npmStart, onTerminal, processesOf, runScript, type Place, type RunningProcess } from "../support/process.ts";
import { waitFor } from "../support/wait-for.ts";

describe("try out", () => {
  // The tests start everything several times, beside all other work of the machine.
  vi.setConfig({ testTimeout: 240_000 });

  interface Message {
    to: string;
    text: string;
  }

  /** The paragraph with the first `curl `, cut out as a script would do it. */
  const pasteBlockOf = (stdout: string): string => stdout.split(/\n[ \t]*\n/).find((paragraph) => paragraph.includes("curl ")) ?? "";

  const email = "demo@example.com";
  const passwordIn = (text: string): string => /The new password of \S+ is: (\S+)/.exec(text)?.[1] ?? "";

  test("the printed block and a sample send a message, reset-password helps, and a second start finds everything", async () => {
    await using place = await makePlace();
    await using first = await npmStart(place.env, "/_sandbox/messages");
    const oldPassword = /Password +(\S+)/.exec(first.stdout())?.[1] ?? "";
    await sendByPrintedBlock(place, first);
    await sendBySample(place, first);

    // The command works while everything runs, and ends the user's sessions.
    const { auth } = createAdminClient({ url: place.admin });
    const { token } = await signedIn(auth.login.mutate({ email, password: oldPassword }));
    await using whileRunning = runScript("reset-password", place.env, ["Demo@Example.com"]);
    const reset = await finished(whileRunning);
    expect(reset).toMatchObject({ code: 0, stderr: "" });
    await expect(createAdminClient({ url: place.admin, token }).auth.me.query()).rejects.toMatchObject({ data: { code: "UNAUTHORIZED" } });
    await expect(auth.login.mutate({ email, password: oldPassword })).rejects.toMatchObject({ data: { code: "UNAUTHORIZED" } });
    const renewed = await signedIn(auth.login.mutate({ email, password: passwordIn(reset.stdout) }));
    const { audit } = createAdminClient({ url: place.admin, token: renewed.token });
    const { items } = await audit.list.query({ actor: "npm run reset-password" });
    expect(items).toMatchObject([{ action: "auth.resetPassword", subject: renewed.user.id, actorId: null, address: null }]);

    await using verified = runScript("verify-audit", place.env);
    const { stdout, stderr } = await finished(verified);
    expect(stderr).toBe("");
    const [, account, head] = /^account (\S+): \d+ entries, head ([0-9a-f]{64})$/m.exec(stdout) ?? [];
    expect(stdout).toContain("The audit is whole: 1 accounts");
    await using cut = runScript("verify-audit", place.env, [
      "--head",
      `${account}=${head?.replace(/^./, (digit) => (digit === "0" ? "1" : "0"))}`,
    ]);
    expect(await finished(cut)).toMatchObject({ code: 1, stdout: expect.stringMatching(/BROKEN: no entry has the hash/) });

    expect(await first.kill("SIGTERM")).toEqual({ code: 0, signal: null });
    expect(await processesOf(place.dataDir)).toEqual([]);
    expect(await readdir(place.dataDir)).not.toContain("lock");
    expect(first.stdout()).not.toContain("started again");

    // The command also works while nothing runs.
    await using whileStopped = runScript("reset-password", place.env, [email]);
    const second = await finished(whileStopped);
    expect(second.code).toBe(0);
    await using again = onTerminal("npm --silent start", place.env);
    await waitFor("the second start's screen", () => again.stdout().includes("Ctrl-C stops.") || !again.isRunning(), 120_000);
    const screen = again.stdout().slice(again.stdout().lastIndexOf("\u001B[K") + 3);
    expect(screen.replaceAll("\r\n", "\n")).toBe(
      `Tidings is running.
  Dashboard  ${place.admin}
  Gateway    ${place.gateway}
  Sandbox    stands in for WhatsApp: nothing leaves this machine

The demo shop is there: sign in as demo@example.com.
  Forgot its password?  DATA_DIR='${place.dataDir}' npm run reset-password -- demo@example.com
  A command to paste    ${place.admin}/getting-started?step=event

Each event shows below as one line. Ctrl-C stops.
`,
    );
    await promisify(execFile)("bash", ["-c", pasteBlockOf(first.stdout())]);
    const shown = await waitFor("the event's line", () => /\r\n(\S*\d\d:\d\d:\d\d.*)\r\n/.exec(again.stdout())?.[1]);
    expect(stripVTControlCharacters(shown)).toMatch(/^\d\d:\d\d:\d\d  order\.created    1 message sent  Demo shop$/);
    expect(again.stdout()).not.toMatch(/installing|building|\{"level"/);
    const login = await signedIn(auth.login.mutate({ email, password: passwordIn(second.stdout) }));
    const admin = createAdminClient({ url: place.admin, token: login.token });
    const delivered = await waitFor("the message's delivery in the log", async () => {
      const { items: messages } = await admin.notifications.list.query({});
      return messages.find(({ status, toPhone }) => toPhone === "+14155550123" && (status === "delivered" || status === "read"));
    });
    expect(delivered).toMatchObject({ template: "demo_order_confirmation" });
    const samples = (await admin.events.list.query({ test: true })).items.map(({ name, chat }) => `${name} ${chat}`);
    expect(samples).toEqual(Array.from({ length: 3 }, () => "order.created sent"));
    expect((await admin.sites.list.query({})).items.map(({ name }) => name)).toEqual(["Demo shop"]);

    await using unknown = runScript("reset-password", place.env, ["nobody@example.com"]);
    expect(await finished(unknown)).toMatchObject({
      code: 78,
      stdout: "",
      stderr: expect.stringMatching(/^nobody signs in as nobody@example\.com/),
    });
    again.type("\u0003");
    expect(await again.ended).toEqual({ code: 0, signal: null });
    expect(again.stdout()).toMatch(/Stopping…\r\n$/);
  });

  async function sendByPrintedBlock(place: Place, start: RunningProcess): Promise<void> {
    const { stdout, stderr } = await promisify(execFile)("bash", ["-c", pasteBlockOf(start.stdout())]);
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toMatchObject(data<object>("test-e2e-start", "try out"));
    const messages = (await (await fetch(`${place.sandbox}/_sandbox/messages?to=%2B14155550123`)).json()) as Message[];
    expect(messages).toHaveLength(1);
    expect(messages[0]?.text).toContain("Hello Ada, thank you for your order of USD 49.90: Mug x 2, Teapot x 1.");
  }

  async function sendBySample(place: Place, start: RunningProcess): Promise<void> {
    const docs = await (await fetch(`${place.gateway}/api/public/docs/bundle`)).text();
    const sample = /^```sh\n(BODY=[\s\S]*?)^```/m.exec(docs.slice(docs.indexOf("\n### Samples")))?.[1] ?? "";
    const [SITE_KEY] = /sk_live_\w+/.exec(start.stdout()) ?? [];
    const [WEBHOOK_SECRET] = /whs_\w+/.exec(start.stdout()) ?? [];
    const env = { ...process.env, BASE_URL: place.gateway, SITE_KEY, WEBHOOK_SECRET };
    const sampled = await promisify(execFile)("bash", ["-c", sample], { env });
    expect(JSON.parse(sampled.stdout)).toMatchObject({ chat: "sent", recipients_sent: 1 });
  }
});
