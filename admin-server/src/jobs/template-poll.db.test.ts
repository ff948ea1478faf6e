import { randomBytes } from "node:crypto";
import { newId } from "shared/db/ids";
import { savePlatformAccount } from "shared/db/platform-account";
import type { Pool } from "shared/db/statement";
import { finishTemplatePoll, hurryTemplatePoll, polls } from "shared/db/template-poll";
import { createVault, placeIn } from "shared/secrets/vault";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openAdminOn } from "../../../test/support/admin.ts";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { answeringServer, type AnsweringServer, type Reply, type SeenRequest } from "../../../test/support/platform.ts";
import { waitFor } from "../../../test/support/wait-for.ts";

const masterKey = randomBytes(32);
const vault = createVault(masterKey);
const hour = 3_600_000;

let database: TestDatabase;
let sql: Pool;
let platform: AnsweringServer;
const servers: AsyncDisposable[] = [];
/** The platform's answers for a business account; by default one approved template. */
let replies: Map<string, (request: SeenRequest) => Reply | Promise<Reply>>;
beforeEach(async () => {
  database = await testDatabase();
  ({ sql } = database);
  replies = new Map();
  platform = await answeringServer((request) => replies.get(wabaOf(request))?.(request) ?? page([template("one")]));
});
afterEach(async () => {
  await stopAll();
  await platform[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const wabaOf = ({ path }: SeenRequest): string => path.split("/")[2] ?? "";
const template = (name: string, status = "APPROVED") => ({
  id: `id-${name}`,
  name,
  language: "en",
  status,
  category: "UTILITY",
  components: [{ type: "BODY", text: "All is well." }],
});
const page = (data: object[], more = {}): Reply => ({ json: { data, paging: { cursors: { after: "x" }, ...more } } });
const error = (code: number, message: string): Reply => ({ status: 400, json: { error: { message, type: "OAuthException", code } } });
const timesAsked = (wabaId: string): number => platform.seen.filter((request) => wabaOf(request) === wabaId).length;

/** An account that is connected and due. */
async function connectAccount(wabaId: string): Promise<string> {
  const accountId = await connect(wabaId);
  await makeDue(accountId);
  return accountId;
}

async function connect(wabaId: string, accountId = newId()): Promise<string> {
  await sql`insert into account (id, name, verify_token) values (${accountId}, 'Shop', 'verify') on conflict do nothing`;
  await savePlatformAccount(sql, {
    account_id: accountId,
    waba_id: wabaId,
    phone_number_id: `phone-${wabaId}`,
    sandbox: false,
    api_version: "v25.0",
    app_id: null,
    access_token: vault.seal("token", placeIn("platform_account.access_token", accountId)),
    access_token_hint: "oken",
    app_secret: null,
  });
  return accountId;
}

/** Starts an admin server that polls. */
const serve = async (): Promise<void> => {
  const times = { tickMs: 5, periodMs: hour, retryMs: 60_000 };
  servers.push(await openAdminOn(database.url, { masterKey, platformUrl: platform.url }, { pollTimes: times }));
};
const stopAll = async (): Promise<void> => {
  await Promise.all(servers.splice(0).map((server) => server[Symbol.asyncDispose]()));
};

interface Poll {
  owner: string | null;
  failures: number;
  problem: string | null;
  went: boolean;
  /** The time in minutes from the start of the last poll to the next one. */
  pause: number;
}
const pollOf = async (accountId: string): Promise<Poll> => {
  const [row] = await sql<Poll[]>`
    select owner, failures, problem, last_at is not null as went, round(extract(epoch from due_at - claimed_at) / 60)::integer as pause
    from template_poll where account_id = ${accountId}`;
  if (row === undefined) throw new Error("the account has no poll");
  return row;
};
const polled = (accountId: string) =>
  waitFor("the account's poll", async () => {
    const poll = await pollOf(accountId);
    return poll.pause > 0 && poll.owner === null && poll;
  });
const makeDue = (accountId: string) => sql`update template_poll set due_at = now() - interval '1 second' where account_id = ${accountId}`;

describe("the hourly poll", () => {
  test("is one an account and period, however many servers there are", async () => {
    const wabaIds = Array.from({ length: 8 }, (_, n) => `waba-${n}`);
    const accounts = await Promise.all(wabaIds.map((wabaId) => connectAccount(wabaId)));
    await Promise.all([serve(), serve()]);
    await Promise.all(accounts.map(polled));
    // Both servers go on looking: accounts that are due again are polled again, and no others.
    await makeDue(accounts[0] ?? "");
    await waitFor("the second poll of one", () => timesAsked("waba-0") === 2);
    await stopAll();
    expect(wabaIds.map(timesAsked)).toEqual([2, 1, 1, 1, 1, 1, 1, 1]);
    expect(await pollOf(accounts[1] ?? "")).toEqual({ owner: null, failures: 0, problem: null, went: true, pause: 60 });
    const rows = await sql`select distinct name, status, status_source from template`;
    expect(rows).toEqual([{ name: "one", status: "approved", status_source: "poll" }]);
    expect(await sql`select count(*)::integer as n from template`).toEqual([{ n: 8 }]);
  });

  test("takes over from a server that died, and what that one still says does not count", async () => {
    const [stuck, other] = [await connectAccount("waba-1"), await connectAccount("waba-2")];
    const dead = { owner: newId(), seconds: 600 };
    await sql`update template_poll set due_at = now() - interval '1 hour' where account_id = ${stuck}`;
    expect(await polls.claim(sql, dead)).toEqual({ account_id: stuck, failures: 0 });
    await serve();
    await polled(other);
    expect([timesAsked("waba-1"), (await pollOf(stuck)).owner]).toEqual([0, dead.owner]);
    await sql`update template_poll set lease_until = now() where account_id = ${stuck}`;
    expect(await polled(stuck)).toMatchObject({ failures: 0, went: true, pause: 60 });
    await finishTemplatePoll(sql, stuck, dead, { problem: "late", nextIn: 1 });
    expect(await pollOf(stuck)).toMatchObject({ problem: null, pause: 60 });
    expect(timesAsked("waba-1")).toBe(1);
  });

  test("that fails is tried again after a pause that grows, says why, and holds up nobody else", async () => {
    const [bad, good] = [await connectAccount("waba-1"), await connectAccount("waba-2")];
    replies.set("waba-1", () => error(190, "Error validating access token: it has expired."));
    await serve();
    expect(await polled(bad)).toEqual({
      owner: null,
      failures: 1,
      problem: expect.stringContaining("it has expired"),
      went: false,
      pause: 1,
    });
    expect(await polled(good)).toMatchObject({ failures: 0, went: true });
    for (const [failures, pause] of [
      [2, 2],
      [3, 4],
      [4, 8],
    ]) {
      await makeDue(bad);
      await waitFor("the next failure", async () => (await pollOf(bad)).failures === failures);
      expect(await pollOf(bad)).toMatchObject({ pause });
    }
    await sql`update template_poll set failures = 30 where account_id = ${bad}`;
    await makeDue(bad);
    await waitFor("one failure more", async () => (await pollOf(bad)).failures === 31);
    expect(await pollOf(bad)).toMatchObject({ pause: 60 });
    replies.delete("waba-1");
    await makeDue(bad);
    expect(await waitFor("the poll that goes through", async () => (await pollOf(bad)).went && pollOf(bad))).toMatchObject({
      failures: 0,
      problem: null,
      pause: 60,
    });
  });

  test("does not take an account whose credentials cannot be read for the others' end", async () => {
    const [bad, good] = [await connectAccount("waba-1"), await connectAccount("waba-2")];
    await sql`update platform_account set access_token = 'nonsense' where account_id = ${bad}`;
    await makeDue(bad);
    await serve();
    expect(await polled(bad)).toMatchObject({ failures: 1, problem: expect.stringContaining("log"), went: false });
    expect(await polled(good)).toMatchObject({ went: true });
    expect(timesAsked("waba-1")).toBe(0);
  });

  test("leaves the platform's last calls of the hour alone, and comes back when it grants more", async () => {
    const account = await connectAccount("waba-1");
    const usage = [{ call_count: 97, total_cputime: 0, total_time: 0, estimated_time_to_regain_access: 90 }];
    const headers = { "x-business-use-case-usage": JSON.stringify({ "waba-1": usage }) };
    replies.set("waba-1", () => ({ ...(page([template("one")], { next: "https://next.example" }) as object), headers }));
    await serve();
    expect(await polled(account)).toMatchObject({ failures: 1, problem: expect.stringContaining("97 %"), pause: 90 });
    expect(timesAsked("waba-1")).toBe(1);
    expect(await sql`select name from template`).toEqual([]);
  });

  test("is not tried again soon when the platform says that its calls are used up", async () => {
    const account = await connectAccount("waba-1");
    replies.set("waba-1", () => error(80007, "Rate limit issues"));
    await serve();
    expect(await polled(account)).toMatchObject({ failures: 1, pause: 60 });
    expect(timesAsked("waba-1")).toBe(1);
  });

  test("stops with its server, and is left to the next", async () => {
    const account = await connectAccount("waba-1");
    replies.set("waba-1", () => "hang");
    await serve();
    await waitFor("the poll under way", () => timesAsked("waba-1") === 1);
    await stopAll();
    expect(await pollOf(account)).toMatchObject({ owner: null, failures: 0, went: false });
    replies.delete("waba-1");
    await serve();
    expect(await polled(account)).toMatchObject({ went: true });
  });

  test("comes soon with new credentials, and when a callback asks for a look", async () => {
    const account = await connectAccount("waba-1");
    await serve();
    await polled(account);
    await connect("waba-9", account);
    expect(await sql`select due_at > now() and due_at <= now() + interval '5 minutes' as soon from template_poll`).toEqual([
      { soon: true },
    ]);
    await makeDue(account);
    await waitFor("a poll of the other business account", () => timesAsked("waba-9") === 1);
    await polled(account);
    await hurryTemplatePoll(sql, account);
    const [row] = await sql`select due_at <= last_at + interval '1 minute' as soon, due_at > now() as later from template_poll`;
    expect(row).toEqual({ soon: true, later: true });
    await sql`update template_poll set last_at = now() - interval '5 minutes'`;
    await hurryTemplatePoll(sql, account);
    await waitFor("the poll that was asked for", () => timesAsked("waba-9") === 2);
  });
});
