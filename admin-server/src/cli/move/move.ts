import { setTimeout as sleep } from "node:timers/promises";
import { movingMark, withoutMark } from "shared/db/account";
import { listLeft } from "shared/db/event/gateway-lease";
import { newId } from "shared/db/ids";
import {
  areUnderWay,
  extendHold,
  findMove,
  giveAway,
  holdAccount,
  type MoveRow,
  releaseHold,
  secondsOfTakeOvers,
  takeAll,
  takeBack,
} from "shared/db/move/hold";
import { unmark } from "shared/db/move/lapsed";
import { deleteRows, type MovedScope, type MovedTable, movedTables } from "shared/db/move/rows";
import { type Pool, type Sql, inTransaction, withTimeout } from "shared/db/statement";
import { placeIn } from "shared/secrets/vault";
import { ConfigurationError } from "shared/server/configuration-error";
import { listWeeks, makeWeeks } from "../backup/database.ts";
import { type Copying, copyAudit, copyRows, differenceOf, differenceOfAudits, mendRows } from "./copy.ts";
import { isPartial, readDigests, reseal, type Vaults } from "./recode.ts";

export interface Move {
  from: Pool;
  to: Pool;
  vaults: Vaults;
  accountId: string;
  /** E-mails of people who are known there too. */
  linked: readonly string[];
  /** The cell that the account leaves; undefined without one. */
  cell: string | undefined;
  inDoubtSeconds: number;
  stopping: AbortSignal;
  tell: (line: string) => void;
  /** Prints the lines for the proxy's maps, once the account is the other's. */
  tellMaps: () => Promise<void>;
}

/** The hold is renewed six times in this time, and ends with it when the process dies. */
const holdSeconds = 30;
/** A database that is silent for so long is away. */
const silentMs = 20_000;
/** The lease of events that were taken over. */
const takeOverSeconds = 20;
const settleMs = 180_000;
const rounds = 5;

/**
 * Moves an account to another installation: held here, copied, compared, given away, released there, and forgotten here. Whatever is interrupted is begun
 * again by the same call; until it is given away the account is this installation's, and goes on here when nobody moves it any more.
 */
export async function moveAccount(move: Move): Promise<"moved" | "was there"> {
  const { from, to, accountId, tell } = move;
  const [here, there, isThere] = [await findMove(from, accountId), await findMove(to, accountId), await exists(to, accountId)];
  if (here?.state === "arriving")
    throw new ConfigurationError(["the account is still arriving here: finish the move that brings it, by the same command as before"]);
  const hasArrived = isThere && there === undefined;
  if (here?.state === "left" || !(await exists(from, accountId))) {
    if (hasArrived) {
      await move.tellMaps();
      const left = await forget(move);
      tell(left ? "forgotten here: what an interrupted move had left" : "the account is there already: nothing was changed");
      return "was there";
    }
    if (there?.state !== "arriving") throw new ConfigurationError(["the account has left this installation for another one"]);
    await move.tellMaps();
    const copying = await toCopying(move);
    await whileAnswering(move, () => release(move, copying));
    await forget(move);
    return "moved";
  }
  if (hasArrived) throw new ConfigurationError(["an account of this id goes on there too: nothing was changed"]);
  await hold(move);
  await forget(move);
  return "moved";
}

const exists = async (sql: Sql, accountId: string): Promise<boolean> => (await sql`select from account where id = ${accountId}`).length > 0;

/** Holds the account, copies it and gives it away; what fails or is stopped before that lets it go on here. */
async function hold(move: Move): Promise<void> {
  const { from, to, accountId, tell, stopping } = move;
  const scope = await toScope(move);
  tell("1/6 hold: its doors answer 503 from now on");
  const { earlier, ...held } = await holdAccount(from, accountId, newId(), holdSeconds);
  let state: "held" | "given" | "releasing" = "held";
  let ended: ConfigurationError | undefined;
  // Whatever waits for the other database then, however long, ends at once.
  const end = (why: string): void => {
    if (state === "releasing" || ended !== undefined) return;
    ended = new ConfigurationError([why]);
    void to.end({ timeout: 0 });
  };
  const beat = setInterval(
    () => {
      extendHold(from, held, scope, holdSeconds).then(
        (isHeld) => isHeld || state !== "held" || end("the hold has ended meanwhile: the account goes on here, run the same again"),
        () => undefined,
      );
      withTimeout(to`select 1`, silentMs).catch(() =>
        end("the other installation's database does not answer: the account goes on here, run the same again"),
      );
    },
    (holdSeconds * 1000) / 6,
  );
  const stop = (): void => (state === "held" ? end("stopped: the account goes on here as before, and nothing was moved") : undefined);
  stopping.addEventListener("abort", stop);
  if (stopping.aborted) stop();
  const check = (): void => {
    if (ended !== undefined) throw ended;
  };
  try {
    await settle(move, held, earlier, scope, check);
    const copying = await toCopying(move);
    await arrive(move, copying);
    let before: Differences = new Map();
    for (let round = 1; state === "held"; round += 1) {
      check();
      await copyAll(move, copying, check);
      tell("4/6 compare");
      const now = await giveIfEqual(move, held, copying, check);
      if (now.size === 0) state = "given";
      else if (round === rounds) throw keepsChanging(before, now);
      before = now;
    }
    tell("5/6 given away: from now on it is the other installation's");
    await move.tellMaps();
    state = "releasing";
    await whileAnswering(move, () => release(move, copying));
  } catch (error) {
    if (state !== "releasing") await takeBack(from, held, holdSeconds).then(() => releaseHold(from, held, scope));
    else if (!(error instanceof ConfigurationError)) await takeBackIfArriving(move, held, scope);
    throw ended ?? error;
  } finally {
    clearInterval(beat);
  }
}

const silence = () =>
  new ConfigurationError([
    "the other installation's database does not answer: the account answers 503 at both sides until you run the same again",
  ]);

/** Carries out what may be undone only after asking there; a database of there that is silent ends it. @throws ConfigurationError */
async function whileAnswering({ to }: Move, act: () => Promise<void>): Promise<void> {
  let silent: ConfigurationError | undefined;
  const looks = setInterval(() => {
    withTimeout(to`select 1`, silentMs).catch(() => {
      silent ??= silence();
      void to.end({ timeout: 0 });
    });
  }, silentMs / 4);
  try {
    await act();
  } catch (error) {
    throw silent ?? error;
  } finally {
    clearInterval(looks);
  }
}

/** The release may have been carried out all the same: only what certainly was not is taken back. */
async function takeBackIfArriving({ from, to, accountId, tell }: Move, held: MoveRow, scope: MovedScope): Promise<void> {
  // A release whose answer was lost holds this row until it has ended.
  const asked = to`select from account_move where account_id = ${accountId} and state = 'arriving' for update`;
  const there = await withTimeout(asked.execute(), silentMs).catch(() => Promise.reject(silence()));
  if (there.length === 0) return;
  await takeBack(from, held, holdSeconds);
  await releaseHold(from, held, scope);
  tell("it could not be released there: the account goes on here as before; take the lines out of the maps again");
}

async function settle({ from, tell, inDoubtSeconds }: Move, held: MoveRow, earlier: string[], scope: MovedScope, check: () => void) {
  tell("2/6 settle: what is in flight ends");
  const takenOver = performance.now() + 1000 * (await secondsOfTakeOvers(from, scope.siteIds, takeOverSeconds));
  const until = performance.now() + settleMs;
  for (;;) {
    check();
    await listLeft(from, inDoubtSeconds);
    const left = await takeAll(from, held, scope, holdSeconds);
    if (await areUnderWay(from, earlier)) left.set("transactions", 1);
    if (performance.now() < takenOver) left.set("events that were taken over", 1);
    if (left.size === 0) return;
    if (performance.now() > until)
      throw new ConfigurationError([`still in flight after ${settleMs / 1000} s: ${[...left.keys()].join(", ")}. Run the same again`]);
    await sleep(200);
  }
}

async function toCopying(move: Move): Promise<Copying> {
  const { from, vaults, accountId } = move;
  const scope = await toScope(move);
  return { from, scope, vaults, digests: await readDigests(from, accountId, scope.siteIds, vaults) };
}

/** The account's sites, and its people by what is known of them there. @throws ConfigurationError where one is known there as somebody else */
async function toScope({ from, to, accountId, linked }: Move): Promise<MovedScope> {
  const siteIds = (await from<{ id: string }[]>`select id from site where account_id = ${accountId}`).map(({ id }) => id);
  const members = await from<{ id: string; email: string }[]>`
    select u.id, u.email from membership m join app_user u on u.id = m.user_id where m.account_id = ${accountId}`;
  const scope = { accountId, siteIds, people: [] as string[], linked: new Map<string, string>() };
  const strangers: string[] = [];
  for (const { id, email } of members) {
    const [known] = await to<{ id: string; arrived: boolean; others: boolean }[]>`
      select u.id, exists (select from membership m where m.user_id = u.id and m.account_id = ${accountId}) as arrived,
        exists (select from membership m where m.user_id = u.id and m.account_id <> ${accountId}) as others
      from app_user u where u.id = ${id} or lower(u.email) = lower(${email}) order by u.id <> ${id} limit 1`;
    const isCopied = known === undefined || (known.id === id && !known.others);
    if (isCopied) scope.people.push(id);
    else if (known.id !== id && !known.arrived && !linked.includes(email.toLowerCase())) strangers.push(email);
    else if (known.id !== id) scope.linked.set(id, known.id);
  }
  if (strangers.length > 0)
    throw new ConfigurationError(
      strangers.map((email) => `${email} is known there already: if it is the same person, add --link ${email}`),
    );
  return scope;
}

/** The account's own row, as it is there. */
async function arrive({ from, to, vaults, accountId, cell }: Move, copying: Copying): Promise<void> {
  type Account = Record<string, unknown> & { verify_token: string; data_key: string | null; cells: string[] };
  const [row] = await from<[{ account: Account }]>`select to_json(a) as account from account a where id = ${accountId}`;
  const { verify_token, data_key, cells, ...plain } = row.account;
  const known = await from<{ cell: string }[]>`
    select distinct substring(k.hint from '^sk_(?:live|test)_([a-z0-9]{1,8})_') as cell from site_secret k join site s on s.id = k.site_id
    where s.account_id = ${accountId} and k.hint ~ '^sk_(live|test)_[a-z0-9]{1,8}_'`;
  const key = withoutMark(data_key);
  const account = {
    ...plain,
    opened_from: null,
    verify_token: reseal(vaults, verify_token, placeIn("account.verify_token", accountId)),
    data_key: movingMark + (key === null ? "" : reseal(vaults, key, placeIn("account.data_key", accountId))),
    cells: [...new Set([...cells, ...known.map((one) => one.cell), ...(cell === undefined ? [] : [cell])])],
  };
  const names = Object.keys(account);
  const list = names.map((name) => `"${name}"`).join(", ");
  const changes = names
    .filter((name) => name !== "id")
    .map(
      (name) =>
        `"${name}" = ${name === "config_version" ? "greatest(account.config_version, excluded.config_version) + 1" : `excluded."${name}"`}`,
    );
  await to.begin(async (transaction) => {
    await transaction.unsafe(
      `insert into account (${list}) select ${list} from json_populate_record(null::account, $1::text::json) on conflict (id) do update set ${changes.join(", ")}`,
      [JSON.stringify(account)],
    );
    await transaction`
      insert into account_move (account_id, state, owner) values (${accountId}, 'arriving', ${newId()}) on conflict (account_id) do update set state = 'arriving'`;
    // No loop looks for the account's problems before it is released.
    await transaction`insert into alert_watch (account_id, due_at) values (${accountId}, 'infinity') on conflict (account_id) do update set due_at = 'infinity'`;
    await mendRows(transaction, { table: "account", of: "self", mend: ["updated_at"] }, copying);
  });
  await makeWeeks(to, await listWeeks(from));
}

/** Copies every table whose rows are not there yet. */
async function copyAll({ to, tell }: Move, copying: Copying, check: () => void): Promise<void> {
  tell("3/6 copy");
  const count = await copyAudit(to, copying);
  if (count > 0) tell(`  audit_entry: ${count}`);
  for (const table of movedTables) {
    if (table.hot !== undefined || table.of === "self" || (await areThere(to, table, copying))) continue;
    check();
    const rows = await inTransaction(to, async (transaction) => {
      const copied = await copyRows(transaction, table, copying);
      const { accountId } = copying.scope;
      if (table.table === "platform_account") {
        await transaction`update platform_health set due_at = 'infinity' where account_id = ${accountId}`;
        await transaction`update template_poll set due_at = 'infinity' where account_id = ${accountId}`;
      }
      return copied;
    });
    if (rows > 0) tell(`  ${table.table}: ${rows}`);
  }
  await mendRows(to, { table: "site", of: "account", mend: ["updated_at"] }, copying);
  await mendRows(to, { table: "account", of: "self", mend: ["updated_at"] }, copying);
}

const areThere = async (to: Sql, table: MovedTable, copying: Copying): Promise<boolean> =>
  !isPartial(table, copying.vaults) && (await differenceOf(to, table, copying)) === null;

/** The digests of here by the tables whose rows of there are others. */
type Differences = ReadonlyMap<string, string>;

/** Gives the account away in the transaction that has compared it, unless something differs, which it answers. */
const giveIfEqual = async ({ from, to, accountId, tell }: Move, held: MoveRow, copying: Copying, check: () => void): Promise<Differences> =>
  (await from.begin(async (transaction) => {
    await transaction`select from account where id = ${accountId} for update`;
    const now = { ...copying, from: transaction };
    const differing = new Map([["audit_entry", await differenceOfAudits(to, now)]]);
    for (const table of movedTables)
      if (table.hot === undefined && table.derived !== true && !isPartial(table, copying.vaults))
        differing.set(table.table, differing.get(table.table) ?? (await differenceOf(to, table, now)));
    for (const [table, digest] of differing) if (digest === null) differing.delete(table);
    check();
    if (differing.size > 0) tell(`  changed meanwhile: ${[...differing.keys()].join(", ")}`);
    else if (!(await giveAway(transaction, held, copying.scope)))
      throw new ConfigurationError(["the hold has ended meanwhile: the account goes on here, run the same again"]);
    return differing;
  })) as Differences;

/** What is the same here as at the comparison before is written there. */
function keepsChanging(before: Differences, now: Differences): ConfigurationError {
  const isThere = [...now].every(([table, digest]) => before.get(table) === digest);
  const what = [...now.keys()].join(", ");
  return new ConfigurationError([
    isThere
      ? `the account's copy keeps changing at the other installation, where nothing may work on it yet (${what}): see what writes there, such as a program of an earlier version, then run the same again`
      : `the account keeps changing here although it is held (${what}): see what still writes, then run the same again`,
  ]);
}

/** Brings what is worked on, and lets the account go on there, in one transaction. */
async function release({ to, accountId, tell }: Move, copying: Copying): Promise<void> {
  await inTransaction(to, async (transaction) => {
    for (const table of movedTables) {
      if (table.hot === undefined) continue;
      const rows = await copyRows(transaction, table, copying);
      if (!isPartial(table, copying.vaults) && !(await areThere(transaction, table, copying)))
        throw new Error(`the rows of ${table.table} are not there as they are here`);
      if (rows > 0) tell(`  ${table.table}: ${rows}`);
    }
    await transaction`delete from account_move where account_id = ${accountId} and state = 'arriving'`;
    await transaction`delete from moved_token where account_id = ${accountId}`;
    await unmark(transaction, [accountId]);
  });
  tell("6/6 released there");
}

/** Deletes what has left; answers whether anything was left. The audit stays where the role may not delete it. */
async function forget({ from, accountId, tell }: Move): Promise<boolean> {
  const state = (await findMove(from, accountId))?.state;
  const siteIds = (await from<{ id: string }[]>`select id from site where account_id = ${accountId}`).map(({ id }) => id);
  const members = await from<{ id: string }[]>`select user_id as id from membership where account_id = ${accountId}`;
  const scope = { accountId, siteIds, people: members.map(({ id }) => id), linked: new Map<string, string>() };
  if (state !== "left") return false;
  await from`
    insert into moved_token (digest, account_id)
    select sha256(convert_to(inbound_token, 'UTF8')), account_id from site where account_id = ${accountId} and deleted_at is null on conflict do nothing`;
  let count = 0;
  for (const table of movedTables.toReversed())
    if (!["self", "person", "user"].includes(table.of)) count += (await deleteRows(from, table, scope)).count;
  await from`
    delete from app_user u where id = any(${scope.people}::uuid[]) and not exists (select from membership m where m.user_id = u.id)`;
  const [{ may }] = await from<[{ may: boolean }]>`select has_table_privilege('account', 'delete') as may`;
  if (may) count += (await from`delete from account where id = ${accountId}`).count;
  else if (count > 0) tell("its audit stays here, which DATABASE_URL's role may not delete: MIGRATE_DATABASE_URL may");
  return count > 0;
}
