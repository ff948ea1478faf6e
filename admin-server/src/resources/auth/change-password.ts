import { deleteSessionsOfUser } from "shared/db/session";
import { inTransaction } from "shared/db/transaction";
import { findPasswordHash } from "shared/db/user";
import { setPasswordHash } from "shared/db/user";
import type { RequestContext } from "../../context.ts";
import { sessionId } from "../../session/adapter.ts";
import type { Caller } from "../../session/caller.ts";
import { hashPassword, isPassword } from "../../session/password.ts";
import { guarded } from "../../session/try-limit.ts";
import { invalidInput } from "../../trpc/refusals.ts";

/** Sets the caller's password and ends their other sessions. */
export async function changePassword(
  context: RequestContext,
  caller: Caller,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
): Promise<Record<never, never>> {
  const guess = { what: `password of ${caller.userId}`, from: context.address };
  const check = async () => isPassword(currentPassword, await findPasswordHash(context.sql, caller.userId));
  if (!(await guarded(context.sql, guess, check, Boolean))) {
    throw invalidInput([{ path: ["currentPassword"], message: "Is not the current password" }]);
  }
  const passwordHash = await hashPassword(newPassword);
  const kept = caller.via.kind === "session" ? sessionId(caller.via.token) : null;
  await inTransaction(context.sql, async (sql) => {
    await setPasswordHash(sql, caller.userId, passwordHash);
    await deleteSessionsOfUser(sql, caller.userId, kept);
  });
  return {};
}
