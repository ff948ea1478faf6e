import { randomBytes } from "node:crypto";
import { findAccount, updateAccount } from "shared/db/account";
import { deleteSecondFactors } from "shared/db/second-factor";
import { type Pool, inTransaction } from "shared/db/statement";
import { findUserByEmail, setPasswordHash } from "shared/db/user";
import { ConfigurationError } from "shared/server/configuration-error";
import { runMain } from "shared/server/process";
import { hashPassword } from "../session/passwords.ts";
import { endEverything, lockMemberships } from "../session/sessions.ts";
import { recordMutation } from "../trpc/audit-trail.ts";
import { readDatabaseConfig } from "./config.ts";
import { withStoredDatabase } from "./database.ts";

await runMain("npm run reset-password -- EMAIL: gives a person a new password, which is shown once", async () => {
  const email = process.argv[2]?.trim() ?? "";
  if (email === "") throw new ConfigurationError(['name the user: "npm run reset-password -- ann@example.com"']);
  await withStoredDatabase(readDatabaseConfig(), "reset-password", async (sql) => {
    const password = randomBytes(12).toString("base64url");
    const user = await resetPassword(sql, email, password);
    console.log(
      `The new password of ${user.email} is: ${password}\nIt is shown this once; all sessions, access tokens, open invitations and reset links of that user have ended, and any second factor is removed.`,
    );
    // The reset opens a way in for an owner whose issuer is away for good.
    for (const name of user.opened)
      console.log(`The account "${name}" no longer demands the company's sign-in: ${user.email} signs in with this password.`);
    if (user.isShut) console.log("An account that this user does not own demands the company's sign-in; the password does not open it.");
  });
});

async function resetPassword(pool: Pool, email: string, password: string): Promise<{ email: string; opened: string[]; isShut: boolean }> {
  const hash = await hashPassword(password);
  return inTransaction(pool, async (sql) => {
    const user = await findUserByEmail(sql, email);
    if (user === undefined)
      throw new ConfigurationError([`nobody signs in as ${email} here: check the address, and DATA_DIR or DATABASE_URL`]);
    const accounts = await lockMemberships(sql, user.id);
    await setPasswordHash(sql, user.id, hash);
    await endEverything(sql, user.id);
    // The reset is the last way in for somebody who has lost the second factor too.
    await deleteSecondFactors(sql, user.id);
    const opened = [];
    for (const { account_id, role, require_sso } of accounts) {
      const opens = require_sso && role === "owner";
      const actor = { accountId: account_id, name: "npm run reset-password", userId: null, tokenId: null };
      const changes = [{ member: "password", secret: true }, ...(opens ? [{ member: "requireSso", before: true, after: false }] : [])];
      await recordMutation({ sql, address: null }, actor, { action: "auth.resetPassword", subject: user.id, changes });
      if (!opens) continue;
      await updateAccount(sql, account_id, { require_sso: false });
      opened.push((await findAccount(sql, account_id))?.name ?? account_id);
    }
    return { email: user.email, opened, isShut: accounts.some((each) => each.require_sso && each.role !== "owner") };
  });
}
