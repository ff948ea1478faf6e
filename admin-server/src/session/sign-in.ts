import type { Role } from "shared/core/input/role";
import type { UserRow } from "shared/db/tables/user/row";
import type { RequestContext } from "../context.ts";
import { recordMutation } from "../trpc/record-mutation.ts";

export interface SignedIn {
  /** Also a Bearer token. */
  token: string;
  user: PresentedUser;
}

export interface PresentedUser {
  id: string;
  email: string;
  name: string;
  role: Role;
}

/** Starts a session and sets its cookie. `action`: the procedure by which the user came in. */
export async function signIn(context: RequestContext, user: UserRow, action: string): Promise<SignedIn> {
  const { token, cookie } = await context.sessions.create(user.id);
  context.setCookie(cookie);
  await recordMutation(context, { accountId: user.account_id, actor: user.email, action, subject: user.id });
  return { token, user: presentUser(user) };
}

export const presentUser = ({ id, email, name, role }: PresentedUser): PresentedUser => ({ id, email, name, role });
