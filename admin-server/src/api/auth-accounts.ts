import { randomBytes } from "node:crypto";
import { insertAccount } from "shared/db/account";
import type { Sql } from "shared/db/connect";
import { newId } from "shared/db/ids";
import { inTransaction } from "shared/db/transaction";
import { anyUserExists, insertUser, type UserRow } from "shared/db/user";
import type { AdminContext } from "../context.ts";
import { connectNewAccount } from "../sandbox/account.ts";
import { hashPassword } from "../session/passwords.ts";
import { recordMutation } from "../trpc/audit-trail.ts";

/** Creates the owner of ADMIN_EMAIL while there is no user. */
export async function makeFirstOwner(context: AdminContext): Promise<void> {
  const { firstOwner } = context.config;
  if (firstOwner === null || (await anyUserExists(context.sql))) return;
  const { email, password } = firstOwner;
  const wanted = { accountName: "My account", email, name: nameFromEmail(email), passwordHash: await hashPassword(password) };
  const owner = await openAccount(context.sql, wanted, true);
  if (typeof owner === "string") return;
  context.log.info({ email }, "first owner made");
  const actor = { accountId: owner.account_id, name: "ADMIN_EMAIL", userId: null, tokenId: null };
  await recordMutation({ ...context, address: null }, actor, { action: "auth.signUp", subject: owner.id });
  await connectNewAccount(context, owner.account_id);
}

/** The part before the @: a first name for the person until they choose one. */
export const nameFromEmail = (email: string): string => email.slice(0, email.lastIndexOf("@"));

export interface AccountToOpen {
  accountName: string;
  email: string;
  name: string;
  passwordHash: string;
}

/**
 * Creates an account and its owner. With `onlyFirst` it answers `closed` once there is any user; of several attempts at once, on whichever servers, one
 * succeeds. `taken`: another user has that address.
 */
export async function openAccount(sql: Sql, wanted: AccountToOpen, onlyFirst: boolean): Promise<UserRow | "closed" | "taken"> {
  try {
    return await inTransaction(sql, async (transaction) => {
      if (onlyFirst && !(await isFirst(transaction))) return "closed";
      const accountId = newId();
      await insertAccount(transaction, { id: accountId, name: wanted.accountName, verify_token: randomBytes(24).toString("base64url") });
      const { email, name, passwordHash } = wanted;
      const user = await insertUser(transaction, {
        id: newId(),
        account_id: accountId,
        email,
        name,
        role: "owner",
        password_hash: passwordHash,
      });
      if (user === undefined) throw new AddressTaken();
      return user;
    });
  } catch (error) {
    if (error instanceof AddressTaken) return "taken";
    throw error;
  }
}

/** Rolls back the account that was just inserted. */
class AddressTaken extends Error {
  override readonly name = "AddressTaken";
}

/** An advisory lock id that nothing else uses. */
const firstUserLock = 7_305_461;

async function isFirst(sql: Sql): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(${firstUserLock}::bigint)`;
  return !(await anyUserExists(sql));
}
