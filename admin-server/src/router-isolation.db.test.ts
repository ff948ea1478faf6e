import { newId } from "shared/db/ids";
import { insertMembership } from "shared/db/membership";
import { insertSession } from "shared/db/session";
import { randomText } from "shared/secrets/signature";
import { beforeAll, describe, expect, it } from "vitest";
import { filled, fullAccount, type FullAccount, inLives, sharedPhone, wholeAccounts } from "../../test/support/admin-shops.ts";
import { callProcedure, procedurePaths, openAdmin, type OpenAdmin } from "../../test/support/admin.ts";
import isolation from "../../test/support/procedures/isolation.json" with { type: "json" };
import { shared } from "../../test/support/shared.ts";
import { words } from "../../test/support/words.ts";
import { sessionId } from "./session/sessions.ts";

/** `refused`: another account's row is not found. `hidden`: the answer holds nothing of it. */
type Case = { refused: object } | { hidden: object };

/**
 * Every procedure, and how one account tries to reach another's rows with it: `<siteId>` is the other's, `<mine.siteId>` the caller's. A procedure without a
 * case takes no id, and reaches only its input, the caller's own rows, or those that the link names.
 */
const cases: Record<string, Case[]> = isolation;
const span = { from: "<yesterday>", to: "<tomorrow>" };

/** Procedures that are meant to tell a person of their other account, or lead there. */
const choices = new Set(["auth.me", "auth.switchAccount"]);

const tries = Object.entries(cases).flatMap(([path, all]) => all.map((one, index) => ({ path, name: `${path} (${index + 1})`, ...one })));

describe("accounts are apart", () => {
  let theirs: FullAccount;
  let kept: string[];
  let made = 0;
  const admin = shared(async () => openAdmin({ isSandbox: true }, { sandbox: sharedPhone }));
  beforeAll(async () => {
    theirs = await open();
    kept = await rowsOf(admin, theirs);
  });
  const open = async (): Promise<FullAccount> => fullAccount(admin, `quin${(made += 1)}x`);
  const openFor = wholeAccounts(open);

  /** Owners of both accounts, by the one in which their session works. */
  const ofBoth = new Map<FullAccount, string>();
  const memberOfBoth = async (chosen: FullAccount): Promise<string> => {
    const [id, token] = [newId(), randomText(40)];
    await admin.sql`insert into app_user (id, email, name, password_hash) select ${id}, ${`${id}@both.example`}, name, password_hash from app_user where id = ${chosen.owner.user.id}`;
    for (const { account } of [theirs, chosen]) await insertMembership(admin.sql, { userId: id, accountId: account.id, role: "owner" });
    const session = { id: sessionId(token), handle: newId(), user_id: id, account_id: chosen.account.id, address: null, user_agent: null };
    await insertSession(admin.sql, { ...session, way: "password", expires_at: new Date(Date.now() + 3_600_000) });
    return token;
  };
  const asMemberOfBoth = async (chosen: FullAccount, path: string, input: object) => {
    const token = ofBoth.get(chosen) ?? (await memberOfBoth(chosen));
    const answer = await callProcedure(admin, path, input, token);
    // It may have ended the session.
    if (path.startsWith("auth.")) ofBoth.delete(chosen);
    else ofBoth.set(chosen, token);
    return answer;
  };

  it("at every procedure that there is", () => {
    expect(Object.keys(cases).toSorted()).toEqual(procedurePaths.toSorted());
  });

  it.each(["sites.list", "templates.list", "events.list", "users.list", "sandbox.messages"])("and %s would show it", async (path) => {
    const answer = await callProcedure(admin, path, {}, theirs.owner.token);
    expect(traces(answer.text, theirs, {})).not.toEqual([]);
  });

  it.each(inLives(tries, ({ path }) => path))("$name: finds and shows nothing of it", async ({ path, ...one }) => {
    const mine = await openFor(path);
    const inputOf = (of: FullAccount) => filled("hidden" in one ? one.hidden : one.refused, { ...of, mine });
    const input = inputOf(theirs);
    const answers = [await callProcedure(admin, path, input, mine.owner.token)];
    if (!choices.has(path)) answers.push(await asMemberOfBoth(mine, path, input));
    expect(answers.map(({ code }) => code)).not.toContain("UNAUTHORIZED");
    const isRefused = "refused" in one;
    const told = answers.map(({ code, text }) => (isRefused ? code : traces(text, theirs, input)));
    expect(told).toEqual(answers.map(() => (isRefused ? "NOT_FOUND" : [])));
    // The account makes the difference: with rows of the caller's own the same call gets further.
    const own = isRefused ? (await callProcedure(admin, path, inputOf(mine), mine.owner.token)).code : "ok";
    expect(["NOT_FOUND", "UNAUTHORIZED"]).not.toContain(own);
  });

  it("and none of them has changed a row", async () => {
    await admin.sql`delete from app_user where email like '%@both.example'`;
    expect(await rowsOf(admin, theirs)).toEqual(kept);
  });

  it("also for totals, which name nobody", async () => {
    const [other, mine] = [await open(), await open()];
    const countOf = async ({ client }: FullAccount) => (await client.stats.overview.query(filled(span, {}))).totals.sent;
    expect(await countOf(mine)).toBe(1);
    await admin.sql`delete from notification where site_id = ${other.siteId}`;
    expect([await countOf(other), await countOf(mine)]).toEqual([0, 1]);
  });
});

/** Traces of the account in the text, except for the values of the input. */
function traces(text: string, { label, account, member, owner, ...ids }: FullAccount, input: object): string[] {
  const asked = JSON.stringify(input);
  const marks = [label, account.id, member.user.id, owner.user.id, ...Object.values(ids).filter((value) => typeof value === "string")];
  return marks.filter((mark) => mark !== ids.password && text.includes(mark) && !asked.includes(mark));
}

const stored = {
  account_id: words(
    "membership user_session password_reset access_token invite platform_account test_connection assistant assistant_use alert_channel template site made_once operation requested_event backfill saved_view opt_out audit_entry erasure",
  ),
  site_id: words("site_secret site_recipient binding event notification customer_order event_payload"),
  user_id: words("totp recovery_code passkey challenge"),
};

/** Everything that is stored of the account, as text. */
async function rowsOf({ sql }: OpenAdmin, { account: { id } }: FullAccount): Promise<string[]> {
  const owned = {
    account_id: sql`(${id}::uuid)`,
    site_id: sql`(select id from site where account_id = ${id})`,
    user_id: sql`(select user_id from membership where account_id = ${id})`,
  };
  const parts = (["account_id", "site_id", "user_id"] as const).flatMap((column) =>
    stored[column].map(
      (table) => sql`union all select to_json(t)::text as row from ${sql(table)} t where ${sql(column)} in ${owned[column]}`,
    ),
  );
  const people = sql`select to_json(u)::text as row from app_user u where id in ${owned.user_id}`;
  const rows = await sql<{ row: string }[]>`
    select to_json(a)::text as row from account a where id = ${id} union all ${people} ${parts} order by row`;
  return rows.map(({ row }) => row);
}
