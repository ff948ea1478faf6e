import type { Role } from "shared/core/input/role";
import type { RequestContext } from "../context.ts";

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

/** Starts a session and sets its cookie. */
export async function signIn(context: RequestContext, user: PresentedUser): Promise<SignedIn> {
  const { token, cookie } = await context.sessions.create(user.id);
  context.setCookie(cookie);
  return { token, user: presentUser(user) };
}

export const presentUser = ({ id, email, name, role }: PresentedUser): PresentedUser => ({ id, email, name, role });
