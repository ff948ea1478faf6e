import { fileURLToPath } from "node:url";
import type { AdminConfig } from "admin-server/config";
import { defaultPollTimes, type PollTimes } from "admin-server/jobs/template-poll";
import { expect, it } from "vitest";
import { openAdminOn } from "../support/admin.ts";
import { testDatabase } from "../support/database.ts";
import { masterKey, openShop } from "../support/gateway.ts";
import { answeringServer } from "../support/platform.ts";
import { startProcess } from "../support/process.ts";
import { waitFor } from "../support/wait-for.ts";

/** What `polling-admin.mjs` gets as its first argument. */
export interface PollingPlan {
  config: Omit<AdminConfig, "masterKey"> & { masterKey: string };
  pollTimes: PollTimes;
}

const main = fileURLToPath(new URL("../support/polling-admin.mjs", import.meta.url));

const spawnAdmin = (plan: PollingPlan) => startProcess([process.execPath, main, JSON.stringify(plan)]);

const page = {
  data: [{ id: "1", name: "one", language: "en", status: "APPROVED", category: "UTILITY", components: [{ type: "BODY", text: "Well." }] }],
};

it("an admin server that is killed while it polls leaves the poll to the other one, once its turn is over and not before", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using platform = await answeringServer((_, index) => (index === 0 ? "hang" : { json: page }));
  const { accountId } = await openShop(sql);
  await sql`update template_poll set due_at = now()`;
  // Long enough for the process to be killed within it, however busy the machine is.
  const pollTimes = { ...defaultPollTimes, tickMs: 50, leaseMs: 8_000 };
  const config = {
    host: "127.0.0.1",
    port: 0,
    databaseUrl: database.url,
    masterKey: masterKey.toString("base64"),
    platformUrl: platform.url,
    isSandbox: false,
    sandboxControlToken: null,
    publicGatewayUrl: "https://gateway.example",
    publicAdminUrl: "http://admin.example",
    trustProxy: false,
    firstOwner: null,
    allowPrivate: null,
    allowSignUp: true,
    allowedHosts: [],
    setupCode: null,
    oidc: null,
    logLevel: "silent",
  } as const;
  await using killed = spawnAdmin({ config, pollTimes });
  await waitFor("the poll under way", () => platform.seen.length === 1 || !killed.isRunning(), 60_000);
  expect(await killed.kill("SIGKILL")).toMatchObject({ signal: "SIGKILL" });
  const [lease] = await sql<{ owner: string; until: Date }[]>`
    select owner, lease_until as until from template_poll where account_id = ${accountId}`;

  await using other = await openAdminOn(database.url, { masterKey, platformUrl: platform.url }, { pollTimes });
  const taken = await waitFor("the other's poll", async () => {
    const [poll] = await sql<{ owner: string | null; failures: number; last_at: Date | null; claimed_at: Date }[]>`
      select owner, failures, last_at, claimed_at from template_poll where account_id = ${accountId}`;
    return poll !== undefined && poll.last_at !== null && poll;
  });
  expect(taken).toMatchObject({ owner: null, failures: 0 });
  expect(taken.claimed_at.getTime()).toBeGreaterThanOrEqual(lease?.until.getTime() ?? Infinity);
  expect(platform.seen).toHaveLength(2);
  expect(await sql`select name, status_source from template where platform_id = '1'`).toEqual([{ name: "one", status_source: "poll" }]);
  expect((await other.fetch("/healthz")).status).toBe(200);
});
