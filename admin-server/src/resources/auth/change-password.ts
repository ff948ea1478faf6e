import { findPasswordHash } from "shared/db/tables/user/find";
import { setPasswordHash } from "shared/db/tables/user/update";
import type { RequestContext } from "../../context.ts";
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
  await setPasswordHash(context.sql, caller.userId, await hashPassword(newPassword));
  await context.sessions.endAll(caller.userId, caller.via.kind === "session" ? caller.via.token : null);
  return {};
}
