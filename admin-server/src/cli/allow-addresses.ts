import { updateAccount } from "shared/db/account";
import { lockForAudit } from "shared/db/audit";
import { changesBetween, readAudited } from "shared/db/audited";
import { listMemberships } from "shared/db/membership";
import { type Pool, type Sql, inTransaction } from "shared/db/statement";
import { findUserByEmail } from "shared/db/user";
import { ConfigurationError } from "shared/server/configuration-error";
import { runMain } from "shared/server/process";
import { recordMutation } from "../trpc/audit-trail.ts";
import { readDatabaseConfig } from "./config.ts";
import { withStoredDatabase } from "./database.ts";

const usage =
  'name an owner who is locked out: "npm run allow-addresses -- --clear ann@example.com" lets sessions into their accounts from everywhere again';

await runMain(usage, async () => {
  const [option, email = "", ...more] = process.argv.slice(2);
  if (option !== "--clear" || email.trim() === "" || more.length > 0) throw new ConfigurationError([usage]);
  await withStoredDatabase(readDatabaseConfig(), "allow-addresses", async (sql) => {
    for (const line of await clearAddresses(sql, email.trim())) console.log(line);
  });
});

/** Empties the list for sessions of every account that the person owns; the owner can then change the one for access tokens. Answers a line for each account. */
async function clearAddresses(pool: Pool, email: string): Promise<string[]> {
  return inTransaction(pool, async (sql) => {
    const user = await findUserByEmail(sql, email);
    const owned = user === undefined ? [] : (await listMemberships(sql, user.id)).filter(({ role }) => role === "owner");
    if (owned.length === 0)
      throw new ConfigurationError([`${email} owns no account here: check the address, and DATA_DIR or DATABASE_URL`]);
    const lines: string[] = [];
    // Locks the accounts in one order, so that two runs cannot deadlock.
    for (const accountId of owned.map(({ account_id }) => account_id).toSorted()) lines.push(await clearAccount(sql, accountId));
    return lines;
  });
}

async function clearAccount(sql: Sql, accountId: string): Promise<string> {
  const action = "settings.update";
  await lockForAudit(sql, accountId);
  const before = await readAudited(sql, action, accountId, null);
  await updateAccount(sql, accountId, { dashboard_addresses: [] });
  const changes = changesBetween(before, await readAudited(sql, action, accountId, null));
  if (changes.length === 0) return `account ${accountId}: the dashboard was open from everywhere already`;
  await recordMutation(
    { sql, address: null },
    { accountId, name: "npm run allow-addresses", userId: null, tokenId: null },
    { action, changes },
  );
  return `account ${accountId}: the dashboard is open from everywhere again; allow other addresses under Settings, General`;
}
