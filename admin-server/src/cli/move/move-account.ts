import { parseArgs } from "node:util";
import { attempt } from "shared/core/text";
import { isUuid } from "shared/core/uuid";
import { connect } from "shared/db/connect";
import { readApplied, requireMigrated } from "shared/db/migrate";
import { type Pool, scalars } from "shared/db/statement";
import { openPostgres } from "shared/postgres/start";
import { openVault } from "shared/sealing/open-vault";
import { writeId } from "shared/secrets/site-key";
import { ConfigurationError } from "shared/server/configuration-error";
import { runMain } from "shared/server/process";
import { requireDatabase } from "shared/server/startup";
import { readMoveConfig } from "../config.ts";
import { findMasterKey } from "../database.ts";
import { moveAccount } from "./move.ts";

const usage =
  "name the account by id, name or an owner's e-mail, and the other installation's database: \"npm run move-account -- ann@example.com --to postgres://…\"; --link EMAIL for each person who is known there too, --cell NAME for the map lines";

const sameSignalMs = 1_500;

await runMain(usage, async () => {
  const { account, to: toUrl, linked, cell } = readArguments(process.argv.slice(2));
  const config = readMoveConfig({ ...process.env, MOVE_TO: toUrl });
  const stopping = stopBySignal();
  await using opened = await openFrom(config);
  const [from, to] = [opened.url, config.moveTo].map((url) => connect(url, { max: 4, applicationName: "tidings-move-account" })) as [
    Pool,
    Pool,
  ];
  try {
    await requireDatabase(from);
    await requireDatabase(to, "--to");
    for (const sql of [from, to]) await requireMigrated(sql);
    if ((await readApplied(from)).length !== (await readApplied(to)).length)
      throw new ConfigurationError(["the two installations have different versions of the schema: migrate the older one first"]);
    const accountId = (await findAccountId(from, account)) ?? (await findAccountId(to, account, await listMoved(from)));
    if (accountId === undefined)
      throw new ConfigurationError([`no account is called ${account} here: name its id, its name, or the e-mail of its only owner`]);
    const locks = await lockBoth(from, to, accountId);
    const toKeys = { masterKey: config.masterKeyTo ?? opened.masterKey, name: "MASTER_KEY_TO (the key of the installation at --to)" };
    const [source, target] = [
      await openVault(from, { masterKey: opened.masterKey, masterKeyOld: config.masterKeyOld }),
      await openVault(to, toKeys),
    ];
    const vaults = {
      from: source,
      to: target,
      seal: await target.sealer(to),
      sameDigests: source.fingerprint("move") === target.fingerprint("move"),
    };
    if (!vaults.sameDigests)
      console.log(
        "the installations were first started with different master keys: clientIds, and which user ids people have, are not known there",
      );
    const tell = (line: string): void => console.log(line);
    const result = await moveAccount({
      from,
      to,
      vaults,
      accountId,
      linked,
      cell: config.cell,
      inDoubtSeconds: config.inDoubtSeconds ?? 120,
      stopping,
      tell,
      tellMaps: async () => (await mapLines(to, accountId, cell)).forEach(tell),
    });
    console.log(result === "moved" ? `account ${accountId} has moved` : `account ${accountId} had moved before`);
    for (const lock of locks) lock.release();
  } finally {
    await Promise.all([from.end({ timeout: 5 }), to.end({ timeout: 5 })]);
  }
});

/** Aborted by a signal; a second one ends the process at once. Where npm runs the command, one Ctrl-C comes twice: from the terminal, and passed on. */
function stopBySignal(): AbortSignal {
  const stop = new AbortController();
  let first = Infinity;
  const onSignal = (): void => {
    first = Math.min(first, performance.now());
    stop.abort();
    if (performance.now() - first < sameSignalMs) return;
    console.error("ended at once: run the same again, or the account goes on here within 30 seconds unless it was given away");
    process.exit(130);
  };
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, onSignal);
  return stop.signal;
}

function readArguments(args: string[]) {
  const text = { type: "string" } as const;
  const options = { to: text, cell: text, link: { ...text, multiple: true, default: [] as string[] } } as const;
  const read = attempt(() => parseArgs({ args, allowPositionals: true, options }), null);
  const [account = "", ...more] = read?.positionals ?? [];
  if (read?.values.to === undefined || account.trim() === "" || more.length > 0) throw new ConfigurationError([usage]);
  const { to, link, cell } = read.values;
  if (cell !== undefined && !/^[a-z0-9]{1,8}$/.test(cell))
    throw new ConfigurationError([`--cell ${cell} is no name of a cell: 1 to 8 of a to z and 0 to 9`]);
  return { account: account.trim(), to, linked: link.map((email) => email.toLowerCase()), cell };
}

/** The database that the account leaves, by its owner where that is known, and its key. */
async function openFrom({ databaseUrl, migrateDatabaseUrl, dataDir, masterKey }: ReturnType<typeof readMoveConfig>) {
  const kept = masterKey ?? (databaseUrl === undefined ? Buffer.from((await findMasterKey(dataDir)) ?? "", "base64") : undefined);
  if (kept === undefined || kept.length !== 32)
    throw new ConfigurationError(["MASTER_KEY must be set: the key of the installation that the account leaves"]);
  if (databaseUrl !== undefined)
    return { url: migrateDatabaseUrl ?? databaseUrl, masterKey: kept, [Symbol.asyncDispose]: async () => undefined };
  const postgres = await openPostgres(dataDir);
  return { url: postgres.url, masterKey: kept, [Symbol.asyncDispose]: async () => postgres[Symbol.asyncDispose]() };
}

/** The accounts that have left, as far as their inbound tokens tell. */
const listMoved = (sql: Pool) => scalars(sql<{ id: string }[]>`select distinct account_id as id from moved_token`);

/** Of several accounts, the one `among` these: whoever owns it may own others there. */
async function findAccountId(sql: Pool, account: string, among?: readonly string[]): Promise<string | undefined> {
  const rows = await sql<{ id: string }[]>`
    select a.id from account a where (a.id::text = lower(${account}) or a.name = ${account} or exists (
      select from membership m join app_user u on u.id = m.user_id where m.account_id = a.id and m.role = 'owner' and lower(u.email) = lower(${account})))`;
  const called = isUuid(account.toLowerCase()) ? rows.filter(({ id }) => id === account.toLowerCase()) : rows;
  const known = called.filter(({ id }) => among?.includes(id));
  const own = called.length > 1 && known.length > 0 ? known : called;
  if (own.length > 1)
    throw new ConfigurationError([`${account} names ${own.length} accounts: name one by its id: ${own.map(({ id }) => id).join(", ")}`]);
  return own[0]?.id;
}

/** Held by one process at a time in both databases, and free as soon as it dies. */
async function lockBoth(from: Pool, to: Pool, accountId: string) {
  const locks = [];
  for (const sql of [from, to]) {
    const connection = await sql.reserve();
    locks.push(connection);
    const [row] = await connection<{ free: boolean }[]>`select pg_try_advisory_lock(hashtextextended(${`move ${accountId}`}, 0)) as free`;
    if (row?.free !== true)
      throw new ConfigurationError([
        "the account is being moved by another process, or --to names the database that it is in: nothing was changed",
      ]);
  }
  return locks;
}

/** What a proxy's maps need to bring the account's requests there: `map key value`. */
async function mapLines(to: Pool, accountId: string, cell: string | undefined): Promise<string[]> {
  const sites = await to<{ id: string; name: string; token: string }[]>`
    select id, name, inbound_token as token from site where account_id = ${accountId} and deleted_at is null order by id`;
  const [made] = await to<{ cell: string }[]>`
    select coalesce(substring(k.hint from '^sk_(?:live|test)_([a-z0-9]{1,8})_'), 'default') as cell
    from site_secret k join site s on s.id = k.site_id join account a on a.id = s.account_id
    where k.kind = 'api_key' and cardinality(a.cells) = 0 and a.id <> ${accountId} order by k.created_at desc limit 1`;
  const name = cell ?? made?.cell ?? "default";
  return [
    "lines for the proxy's maps, which it reads before cells (key, then where it is now):",
    ...sites.flatMap((site) => [`# sites.map: ${site.name.replaceAll(/\s+/g, " ")} (site ${site.id})`, `${writeId(site.id)} ${name}`]),
    ...sites.flatMap(({ token }) => ["# tokens.map", `${token} ${name}`]),
    "# accounts.map",
    `${accountId} ${name}`,
  ];
}
