import { randomBytes } from "node:crypto";
import { connect } from "shared/db/connect";
import { requireMigrated } from "shared/db/migrate";
import { newId } from "shared/db/new-id";
import { insertAuditEntry, type NewAuditEntry } from "shared/db/tables/audit/insert";
import { findUserByEmail } from "shared/db/tables/user/find";
import type { UserRow } from "shared/db/tables/user/row";
import { setPasswordHash } from "shared/db/tables/user/update";
import { inTransaction } from "shared/db/transaction";
import { openPostgres } from "shared/postgres/open-postgres";
import { ConfigurationError } from "shared/server/configuration-error";
import { requireDatabase } from "shared/server/require-database";
import { runMain } from "shared/server/run-main";
import { hashPassword } from "../session/password.ts";
import { createSessions } from "../session/sessions.ts";
import { readDatabaseConfig } from "./config.ts";

await runMain(async () => {
  const email = process.argv[2]?.trim() ?? "";
  if (email === "") throw new ConfigurationError(['name the user: "npm run reset-password -- ann@example.com"']);
  const { databaseUrl, dataDir } = readDatabaseConfig();
  if (databaseUrl !== undefined) return resetPassword(databaseUrl, email);
  await using postgres = await openPostgres(dataDir);
  await resetPassword(postgres.url, email);
});

/** Gives the user a new password, printed once, and ends the sessions that the old one opened. */
async function resetPassword(url: string, email: string): Promise<void> {
  const pool = connect(url, { max: 1, applicationName: "tidings-reset-password" });
  try {
    await requireDatabase(pool);
    await requireMigrated(pool);
    const password = randomBytes(12).toString("base64url");
    const hash = await hashPassword(password);
    const user = await inTransaction(pool, async (sql) => {
      const found = await findUserByEmail(sql, email);
      if (found === undefined)
        throw new ConfigurationError([`nobody signs in as ${email} here: check the address, and DATA_DIR or DATABASE_URL`]);
      await setPasswordHash(sql, found.id, hash);
      await createSessions(sql, false).endAll(found.id, null);
      await insertAuditEntry(sql, entryOf(found));
      return found;
    });
    console.log(`The new password of ${user.email} is: ${password}\nIt is shown this once; all sessions of that user have ended.`);
  } finally {
    await pool.end({ timeout: 5 });
  }
}

function entryOf(user: UserRow): NewAuditEntry {
  return {
    id: newId(),
    account_id: user.account_id,
    actor: "npm run reset-password",
    actor_id: null,
    token_id: null,
    action: "auth.resetPassword",
    subject: user.id,
    address: null,
  };
}
