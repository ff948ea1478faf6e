import { parseArgs } from "node:util";
import { attempt, grouped } from "shared/core/text";
import { isUuid } from "shared/core/uuid";
import { type ChainReport, followChain, listChains } from "shared/db/audit";
import { type Sql, firstId } from "shared/db/statement";
import { ConfigurationError } from "shared/server/configuration-error";
import { runMain } from "shared/server/process";
import { readDatabaseConfig } from "./config.ts";
import { withStoredDatabase } from "./database.ts";

const usage =
  'say "npm run verify-audit", with a head that an earlier run printed as "-- --head ACCOUNT=HASH" (as often as you like): that entry must still be there';

await runMain(usage, async () => {
  const heads = readHeads(process.argv.slice(2));
  const faults = await withStoredDatabase(readDatabaseConfig(), "verify-audit", async (sql) => verifyAll(sql, heads));
  if (faults > 0) process.exitCode = 1;
});

/** The hashes to be found, by account. */
function readHeads(args: string[]): ReadonlyMap<string, string[]> {
  const given = attempt(() => parseArgs({ args, options: { head: { type: "string", multiple: true, default: [] } } }).values.head, [""]);
  const heads = given.map((head) => {
    const [account = "", hash = ""] = head.toLowerCase().split("=");
    if (!isUuid(account) || !/^[0-9a-f]{64}$/.test(hash)) throw new ConfigurationError([usage]);
    return [account, hash] as const;
  });
  return grouped(heads);
}

/** Follows every account's chain, and prints the result; answers how many chains are broken. */
async function verifyAll(sql: Sql, heads: ReadonlyMap<string, readonly string[]>): Promise<number> {
  const unseen = new Set(heads.keys());
  let [accounts, entries, faults] = [0, 0, 0];
  for (let page = await listChains(sql, firstId); page.length > 0; page = await listChains(sql, page.at(-1) ?? firstId)) {
    for (const accountId of page) {
      const report = await followChain(sql, accountId, heads.get(accountId), showProgress(accountId));
      const problems = describe(report);
      console.log(`account ${accountId}: ${report.entries} entries, head ${report.head}`);
      for (const problem of problems) console.log(`  BROKEN: ${problem}`);
      unseen.delete(accountId);
      accounts += 1;
      entries += report.entries;
      faults += Number(problems.length > 0);
    }
  }
  for (const accountId of unseen) console.log(`account ${accountId}: BROKEN: it has no audit, although a head was given for it`);
  faults += unseen.size;
  console.log(
    faults === 0
      ? `The audit is whole: ${accounts} accounts, ${entries} entries. Keep the heads elsewhere: only they show, with --head, that an end was cut off or a chain was written anew.`
      : `${faults} of ${accounts + unseen.size} accounts have a broken audit: compare with a backup.`,
  );
  return faults;
}

/** Prints the progress every 50,000 entries. */
function showProgress(accountId: string): (entries: number) => void {
  let said = 0;
  return (entries) => {
    if (entries - said < 50_000) return;
    said = entries;
    process.stderr.write(`account ${accountId}: ${entries} entries are right so far\n`);
  };
}

function describe({ broken, missing }: ChainReport): string[] {
  return [
    ...(broken === null ? [] : [`entry ${broken.seq}${broken.id === null ? "" : ` (${broken.id})`}: ${broken.reason}`]),
    ...missing.map((hash) => `no entry has the hash ${hash}: what followed was cut off, or the chain was written anew`),
  ];
}
