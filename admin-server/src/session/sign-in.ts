import type { Role } from "shared/core/role";
import type { UserRow } from "shared/db/user";
import type { CallContext } from "../context.ts";

export interface SignedIn {
  /** Works as a Bearer token too. */
  token: string;
  user: PresentedUser;
}

export interface PresentedUser {
  id: string;
  email: string;
  name: string;
  role: Role;
}

/** Starts a session and sets its cookie. */
export async function signIn(context: CallContext, user: UserRow): Promise<SignedIn> {
  const { token, cookie } = await context.sessions.create(user.id, context);
  context.setCookie(cookie);
  context.actAs({ accountId: user.account_id, name: user.email, userId: user.id, tokenId: null });
  return { token, user: presentUser(user) };
}

export const presentUser = ({ id, email, name, role }: PresentedUser): PresentedUser => ({ id, email, name, role });
