import { newId } from "shared/db/new-id";
import { acceptInvite as useInvite } from "shared/db/tables/invite/accept";
import { insertUser } from "shared/db/tables/user/insert";
import { inTransaction } from "shared/db/transaction";
import type { RequestContext } from "../../context.ts";
import { digest } from "../../session/digest.ts";
import { hashPassword } from "../../session/password.ts";
import { signIn, type SignedIn } from "../../session/sign-in.ts";
import { conflict, notFound } from "../../trpc/refusals.ts";

/** Makes the invited person a user of the account and signs them in. */
export async function acceptInvite(
  context: RequestContext,
  { token, name, password }: { token: string; name: string; password: string },
): Promise<SignedIn> {
  const passwordHash = await hashPassword(password);
  const user = await inTransaction(context.sql, async (sql) => {
    const invite = await useInvite(sql, digest(token));
    if (invite === undefined) throw notFound("invitation, or it was used or is too old: ask for a new one");
    const { account_id: accountId, email, role } = invite;
    const added = await insertUser(sql, { id: newId(), accountId, email, name, role, passwordHash });
    if (added === undefined) throw conflict("This invitation cannot be accepted: its address has an account already");
    return added;
  });
  return signIn(context, user, "users.acceptInvite");
}
