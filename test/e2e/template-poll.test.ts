import { defaultPollTimes } from "admin-server/jobs/template-poll";
import { expect, it } from "vitest";
import { openAdminOn } from "../support/admin.ts";
import { testDatabase } from "../support/database.ts";
import { masterKey, openShop } from "../support/gateway.ts";
import { startKillableAdmin } from "../support/killable-admin.ts";
import { answeringServer } from "../support/platform.ts";
import { waitFor } from "../support/wait-for.ts";

const page = {
  data: [{ id: "1", name: "one", language: "en", status: "APPROVED", category: "UTILITY", components: [{ type: "BODY", text: "Well." }] }],
};

it("an admin server that is killed while it polls leaves the poll to the other one, once its turn is over and not before", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using platform = await answeringServer((_, index) => (index === 0 ? "hang" : { json: page }));
  const { accountId } = await openShop(sql);
  await sql`update template_poll set due_at = now()`;
  // The lease is long enough for the process to be killed within it, however busy the machine is.
  const pollTimes = { ...defaultPollTimes, tickMs: 50, leaseMs: 8_000 };
  await using killed = startKillableAdmin({ databaseUrl: database.url, masterKey, platformUrl: platform.url }, { pollTimes });
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
