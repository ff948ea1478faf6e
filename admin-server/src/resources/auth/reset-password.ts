import { isPasswordResetOpen, takePasswordReset } from "shared/db/password-reset";
import { deleteSessionsOfUser } from "shared/db/session";
import { inTransaction } from "shared/db/transaction";
import { setPasswordHash } from "shared/db/user";
import type { CallContext } from "../../context.ts";
import { digest } from "../../session/digest.ts";
import { hashPassword } from "../../session/password.ts";
import { signIn, type SignedIn } from "../../session/sign-in.ts";
import { notFound } from "../../trpc/refusals.ts";

/** Sets the password of whoever the link was made for, ends their sessions and signs them in. */
export async function resetPassword(context: CallContext, { token, password }: { token: string; password: string }): Promise<SignedIn> {
  const hash = digest(token);
  if (!(await isPasswordResetOpen(context.sql, hash))) throw gone();
  const passwordHash = await hashPassword(password);
  const user = await inTransaction(context.sql, async (sql) => {
    const found = await takePasswordReset(sql, hash);
    if (found === undefined) throw gone();
    await setPasswordHash(sql, found.id, passwordHash);
    await deleteSessionsOfUser(sql, found.id, null);
    return found;
  });
  return signIn(context, user);
}

const gone = () => notFound("link, or it was used, replaced or is too old: ask an owner for a new one");
