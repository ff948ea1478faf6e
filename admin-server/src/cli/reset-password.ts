import { randomBytes } from "node:crypto";
import { insertAuditEntry, type NewAuditEntry } from "shared/db/audit";
import { connect } from "shared/db/connect";
import { newId } from "shared/db/ids";
import { requireMigrated } from "shared/db/migrate";
import { inTransaction } from "shared/db/transaction";
import { findUserByEmail, type UserRow, setPasswordHash } from "shared/db/user";
import { openPostgres } from "shared/postgres/start";
import { ConfigurationError } from "shared/server/configuration-error";
import { runMain } from "shared/server/process";
import { requireDatabase } from "shared/server/startup";
import { hashPassword } from "../session/passwords.ts";
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
