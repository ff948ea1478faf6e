import { insertPasswordReset } from "shared/db/password-reset";
import { findUser } from "shared/db/user";
import { randomText } from "shared/secrets/signature";
import type { RequestContext } from "../../context.ts";
import type { Caller } from "../../session/caller.ts";
import { digest } from "../../session/digest.ts";
import { conflict, notFound } from "../../trpc/refusals.ts";

const lifeMs = 86_400_000;

/** A link, good for a day and once, by which the person sets a new password: no owner ever knows it. */
export async function makePasswordReset(context: RequestContext, { accountId, userId: createdBy }: Caller, userId: string) {
  // Whoever got hold of an owner's session must not take the account over without the password.
  if (userId === createdBy) throw conflict("This is your own account: change your password with the current one");
  const user = await findUser(context.sql, accountId, userId);
  if (user === undefined) throw notFound("user");
  const token = randomText(43);
  const expiresAt = new Date(context.clock().getTime() + lifeMs);
  await insertPasswordReset(context.sql, { userId, createdBy, hash: digest(token), expiresAt });
  return { id: userId, token, url: `${context.config.publicAdminUrl}/reset-password#${token}`, expiresAt: expiresAt.toISOString() };
}
