import { newId } from "shared/db/ids";
import { acceptInvite as useInvite, isInviteOpen } from "shared/db/invite";
import { inTransaction } from "shared/db/transaction";
import { insertUser } from "shared/db/user";
import type { CallContext } from "../../context.ts";
import { digest } from "../../session/digest.ts";
import { hashPassword } from "../../session/password.ts";
import { signIn, type SignedIn } from "../../session/sign-in.ts";
import { conflict, notFound } from "../../trpc/refusals.ts";

/** Makes the invited person a user of the account and signs them in. */
export async function acceptInvite(
  context: CallContext,
  { token, name, password }: { token: string; name: string; password: string },
): Promise<SignedIn> {
  const hash = digest(token);
  // Hashing takes a while and much memory: not for whoever makes a token up.
  if (!(await isInviteOpen(context.sql, hash))) throw gone();
  const passwordHash = await hashPassword(password);
  const user = await inTransaction(context.sql, async (sql) => {
    const invite = await useInvite(sql, hash);
    if (invite === undefined) throw gone();
    const { account_id: accountId, email, role } = invite;
    const added = await insertUser(sql, { id: newId(), accountId, email, name, role, passwordHash });
    if (added === undefined) throw conflict("This invitation cannot be accepted: its address has an account already");
    return added;
  });
  return signIn(context, user);
}

const gone = () => notFound("invitation, or it was used, taken back or is too old: ask for a new one");
