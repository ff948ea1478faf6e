import { anyUserExists } from "shared/db/user";
import type { AdminContext } from "../context.ts";
import { connectNewAccount } from "../sandbox/connect.ts";
import { hashPassword } from "../session/password.ts";
import { recordMutation } from "../trpc/record-mutation.ts";
import { openAccount } from "./open-account.ts";

/** Makes the configured owner while nobody can sign in yet. */
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

/** What stands before the @, until the person says otherwise. */
export const nameFromEmail = (email: string): string => email.slice(0, email.lastIndexOf("@"));
