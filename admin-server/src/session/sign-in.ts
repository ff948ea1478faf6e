import { timingSafeEqual } from "node:crypto";
import type { Role } from "shared/core/role";
import type { UserRow } from "shared/db/user";
import { randomText } from "shared/secrets/signature";
import type { CallContext, RequestContext } from "../context.ts";
import { digest } from "./sessions.ts";

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

/** Starts a session and sets its cookie, and the one by which the device is known again. */
export async function signIn(context: CallContext, user: UserRow): Promise<SignedIn> {
  const { token, cookie } = await context.sessions.create(user.id, context);
  context.setCookie(cookie);
  const device = knownDevice(context, user.id) ?? randomText(22);
  context.setCookie(context.sessions.deviceCookie(`${device}.${markOf(context, device, user.id)}`));
  context.actAs({ accountId: user.account_id, name: user.email, userId: user.id, tokenId: null });
  return { token, user: presentUser(user) };
}

/** The id of the calling device if that user has signed in on it before. */
export function knownDevice(context: RequestContext, userId: string): string | null {
  const [device = "", mark = ""] = context.deviceCookie?.split(".") ?? [];
  return timingSafeEqual(digest(mark), digest(markOf(context, device, userId))) ? device : null;
}

/** Only this installation can make it. */
const markOf = ({ vault }: RequestContext, device: string, userId: string): string => vault.fingerprint(`device ${device} of ${userId}`);

export const presentUser = ({ id, email, name, role }: PresentedUser): PresentedUser => ({ id, email, name, role });
