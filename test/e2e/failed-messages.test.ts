import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createAdminClient, everyItem, refusalCode } from "admin-server/client";
import { beforeAll, expect, it } from "vitest";
import { insertEvent, insertNotification } from "../support/admin-shops.ts";
import { openAdmin, type OpenAdmin } from "../support/admin.ts";
import { runHere } from "../support/run-here.ts";
import { shared } from "../support/shared.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const script = "admin-server/src/examples/failed-messages.ts";
const execute = promisify(execFile);

let owner: Awaited<ReturnType<OpenAdmin["signUp"]>>;
const admin = shared(async () => openAdmin());
beforeAll(async () => {
  owner = await admin.signUp();
});

/** Runs the example in a process of its own, in the way that its first lines describe. */
async function run(token: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { ...process.env, ADMIN_URL: admin.url, ADMIN_TOKEN: token };
  try {
    return { code: 0, ...(await execute(process.execPath, ["--conditions=source", "--import", "tsx", script], { cwd: root, env })) };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}

it("the example prints every message that failed, with the rights of a viewer", async () => {
  const { account } = await owner.client.auth.me.query();
  const expected: string[][] = [];
  for (const name of ["First shop", "Second shop"]) {
    const { site } = await owner.client.sites.create.mutate({ name, url: "https://shop.example", sourceType: "generic" });
    const eventId = await insertEvent(admin.sql, site.id);
    const at = { accountId: account.id, siteId: site.id, eventId };
    await insertNotification(admin.sql, at, { status: "sent" });
    const failed = { status: "failed", error_code: "131026", error_reason: "Message undeliverable" };
    for (let n = 0; n < 60; n += 1) await insertNotification(admin.sql, at, failed);
    expected.unshift(...Array.from({ length: 60 }, () => [name, "order_created", "131026", "Message undeliverable"]));
  }
  const { token } = await owner.client.tokens.create.mutate({ name: "report", role: "viewer" });
  const { code, stdout, stderr } = await run(token);
  expect([code, stderr]).toEqual([0, ""]);
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t"));
  expect(lines.map(([site, , template, , errorCode, reason]) => [site, template, errorCode, reason])).toEqual(expected);
  for (const [, time] of lines) expect(time).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
});

it("the example says what to do about a token that is not known", async () => {
  const { code, stderr } = await runHere(script, [], { ADMIN_URL: admin.url, ADMIN_TOKEN: "tdg_made-up" });
  expect(code).toBe(1);
  expect(stderr).toContain("tokens.create");
});

it("a list is read page by page, and only as far as it is used", async () => {
  const asked: (string | null)[] = [];
  const list = async ({ cursor }: { cursor: string | null }) => {
    asked.push(cursor);
    const start = Number(cursor ?? 0);
    return Promise.resolve({ items: [start, start + 1], nextCursor: start < 4 ? String(start + 2) : null });
  };
  const all: number[] = [];
  for await (const item of everyItem(list)) all.push(item);
  expect(all).toEqual([0, 1, 2, 3, 4, 5]);
  asked.length = 0;
  for await (const item of everyItem(list)) if (item === 2) break;
  expect(asked).toEqual([null, "2"]);
});

it("a refusal is told by its code, and from no answer at all", async () => {
  const codeOf = async (call: Promise<unknown>) => refusalCode(await call.catch((error: unknown) => error));
  expect(await codeOf(createAdminClient({ url: admin.url }).sites.list.query())).toBe("UNAUTHORIZED");
  expect(await codeOf(owner.client.sites.get.query({ id: "019aa000-0000-7000-8000-000000000001" }))).toBe("NOT_FOUND");
  expect(await codeOf(createAdminClient({ url: "http://127.0.0.1:9", token: owner.token }).sites.list.query())).toBeNull();
  expect(refusalCode(new Error("other"))).toBeNull();
});
