import { createHash } from "node:crypto";
import { type Adapter, Lucia, type Session, TimeSpan } from "lucia";
import { lesserRole } from "shared/core/role";
import { say } from "shared/core/wording";
import { deleteAccessTokensOfUser, takeAccessToken, findLiveToken } from "shared/db/access-token";
import { lockForAudit } from "shared/db/audit";
import { newId } from "shared/db/ids";
import { deleteInvitesOfUser } from "shared/db/invite";
import { listMemberships, type MemberRow } from "shared/db/membership";
import { deletePasswordResetsBy } from "shared/db/password-reset";
import {
  deleteSessionsOfUser,
  noteSessionUse,
  findSession,
  deleteExpiredSessions,
  deleteSession,
  extendSession,
  insertSession,
  type SessionWay,
  type SessionWithUser,
} from "shared/db/session";
import type { Sql } from "shared/db/statement";
import { randomText } from "shared/secrets/signature";
import type { Logger } from "shared/server/logger";
import { letsIn } from "shared/server/networks";
import { repeat } from "shared/server/retry";
import { notFromHere, Refusal } from "../trpc/errors.ts";
import type { Caller } from "./caller.ts";

/** The holder of a session token or access token; null when there is none. `cookie`: a Set-Cookie value that extends the session. */
export async function identify(
  { sql, sessions }: { sql: Sql; sessions: Sessions },
  token: string,
  visitor: Visitor,
): Promise<{ caller: Caller; cookie: string | null } | null> {
  if (token.startsWith(prefix)) return byAccessToken(sql, token, visitor);
  const session = await sessions.validate(token, visitor);
  if (session === null) return null;
  const { is_proven: isProven, must_enroll: mustEnroll, way, ...row } = session.row;
  const from = placeOf(visitor, row.allowed_addresses);
  return { caller: { ...callerOf(row), from, via: { kind: "session", token, isProven, mustEnroll, way } }, cookie: session.cookie };
}

const callerOf = ({ user_id: userId, account_id: accountId, email, name, role, is_moving: isMoving }: SignedIn) => ({
  userId,
  accountId,
  email,
  name,
  role,
  isMoving,
});

type SignedIn = Pick<SessionWithUser, "user_id" | "account_id" | "email" | "name" | "role" | "is_moving">;

const placeOf = ({ address }: Visitor, allowed: readonly string[]): Caller["from"] => ({ address, isAllowed: letsIn(allowed, address) });

async function byAccessToken(sql: Sql, token: string, visitor: Visitor): Promise<{ caller: Caller; cookie: null } | null> {
  const row = await takeAccessToken(sql, digest(token));
  if (row === undefined) return null;
  // The role of the token's creator may have been lowered since.
  const caller = callerOf({ ...row, role: lesserRole(row.role, row.user_role) });
  const via = { kind: "access-token", id: row.id, scopes: row.scopes } as const;
  return { caller: { ...caller, from: placeOf(visitor, row.allowed_addresses), via }, cookie: null };
}

const prefix = "tdg_";

/** The prefix tells an access token from a session token. */
export const makeAccessToken = (): string => prefix + randomText(43);

/** The person in each of their accounts, which the transaction `sql` locks for the audit, everywhere in the same order. */
export async function lockMemberships(sql: Sql, userId: string): Promise<MemberRow[]> {
  const memberships = (await listMemberships(sql, userId)).toSorted((one, other) => (one.account_id < other.account_id ? -1 : 1));
  for (const { account_id } of memberships) await lockForAudit(sql, account_id);
  return memberships;
}

/**
 * Ends everything that somebody who knew the user's password may have opened: sessions, access tokens, open invitations and reset links. `sql` is a
 * transaction that has locked the user's accounts for the audit, so that nothing else is under way.
 */
export async function endEverything(sql: Sql, userId: string): Promise<void> {
  await deleteSessionsOfUser(sql, userId, null);
  await deleteAccessTokensOfUser(sql, userId);
  await deleteInvitesOfUser(sql, userId);
  await deletePasswordResetsBy(sql, userId);
}

/**
 * Refuses a change if the session has ended while the call was under way, or if its account no longer lets anybody in from its address. The calling code
 * holds the lock of the user, like a change of the password, or that of the account for the audit, see `endEverything`.
 * @throws TRPCError UNAUTHORIZED, FORBIDDEN
 */
export async function requireStillSignedIn(sql: Sql, { via, from }: Caller): Promise<void> {
  if (via.kind === "access-token") return;
  const session = await findSession(sql, sessionId(via.token));
  if (session === undefined) throw new Refusal("UNAUTHORIZED", say("Your session has ended: sign in again"));
  if (!letsIn(session.allowed_addresses, from.address)) throw notFromHere(from.address);
}

/**
 * The same for a call that has waited for its turn, as its account's calls do: refuses it also if the caller's role was lowered meanwhile, or the access
 * token revoked. @throws TRPCError UNAUTHORIZED, FORBIDDEN
 */
export async function requireStillLetIn(sql: Sql, caller: Caller): Promise<void> {
  const { via, from, role, accountId } = caller;
  await requireStillSignedIn(sql, caller);
  const now = await findNow(sql, caller);
  if (now === undefined) throw new Refusal("UNAUTHORIZED", say("Your access has ended or changed: sign in again"));
  if (via.kind === "access-token" && !letsIn(now.allowed_addresses, from.address)) throw notFromHere(from.address);
  const isMoved = "account_id" in now && now.account_id !== accountId;
  if (isMoved || lesserRole(now.role, role) !== role)
    throw new Refusal("FORBIDDEN", say("Your role or your account has changed while the call waited: look again, then try again"));
}

/** The caller's session or token as it is now, with the role that it gives; undefined where there is none. */
async function findNow(sql: Sql, { via }: Caller) {
  if (via.kind === "session") return await findSession(sql, sessionId(via.token));
  const token = await findLiveToken(sql, via.id);
  return token && { ...token, role: lesserRole(token.role, token.user_role) };
}

const sessionCookie = "tidings_session";
const deviceCookie = "tidings_device";
/** Over https, browsers let no other host or plain page set a cookie of such a name. */
const secured = (name: string): string => `__Host-${name}`;

/** Whether the dashboard's cookies travel over https only. */
export const isSecure = ({ publicAdminUrl }: { publicAdminUrl: string }): boolean => publicAdminUrl.startsWith("https:");

/**
 * The session's token and the device's mark in a Cookie header; null where there is none. Where cookies travel over https only, the plain names count for
 * nothing: another host of the domain, or a plain page, can set them.
 */
export function readCookies(header: string | undefined, secure: boolean): { session: string | null; device: string | null } {
  const read = (name: string) => readCookie(header, secure ? secured(name) : name);
  return { session: read(sessionCookie), device: read(deviceCookie) };
}

/** The cookie's value; null without one. */
export function readCookie(header: string | undefined, name: string): string | null {
  const pairs = (header ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
}

const deviceSeconds = 365 * 86_400;
const lifeDays = 30;

/** `secure`: the cookie travels over https only. Cookies are Set-Cookie values. */
export function createSessions(sql: Sql, secure: boolean) {
  const nameOf = (name: string): string => (secure ? secured(name) : name);
  const lucia = new Lucia<SessionAttributes>(createAdapter(sql), {
    sessionExpiresIn: new TimeSpan(lifeDays, "d"),
    sessionCookie: { name: nameOf(sessionCookie), attributes: { secure, sameSite: "lax" } },
    getSessionAttributes: (attributes) => attributes,
  });
  const cookieOf = (token: string): string => lucia.createSessionCookie(token).serialize();
  return {
    /** `token` is the same session as a Bearer token. */
    async create(session: MadeSession, visitor: Visitor) {
      await lucia.deleteExpiredSessions();
      const { id } = await lucia.createSession(session.userId, { made: { ...session, ...visitor } });
      return { token: id, cookie: cookieOf(id) };
    },
    /** The token's session, null when it has ended. Records the use, at most once a minute. `cookie` is set when the session was extended. */
    async validate(token: string, visitor: Visitor) {
      const { session } = await lucia.validateSession(token);
      const { row, fresh } = (session ?? {}) as Partial<Session & SessionAttributes>;
      if (row === undefined) return null;
      if (row.is_stale) await noteSessionUse(sql, sessionId(token), visitor);
      return { row, cookie: fresh === true ? cookieOf(token) : null };
    },
    end: async (token: string) => lucia.invalidateSession(token),
    /** Remove the cookie. */
    blankCookies: () => [
      lucia.createBlankSessionCookie().serialize(),
      ...(secure ? [`${sessionCookie}=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax`] : []),
    ],
    /** Outlives the session. */
    deviceCookie: (value: string) =>
      `${nameOf(deviceCookie)}=${value}; Path=/; Max-Age=${deviceSeconds}; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`,
  };
}

export type Sessions = ReturnType<typeof createSessions>;

export interface MadeSession {
  userId: string;
  accountId: string;
  way: SessionWay;
}

export type Visitor = Record<"address" | "userAgent", string>;

/** Of a session that is created, or that was found. */
interface SessionAttributes {
  made?: MadeSession & Visitor;
  row?: SessionWithUser;
}

declare module "lucia" {
  interface Register {
    DatabaseSessionAttributes: SessionAttributes;
  }
}

/** Stores Lucia's sessions under the digest of their token, so that a copy of the database signs nobody in. */
const createAdapter = (sql: Sql): Adapter => ({
  async getSessionAndUser(token) {
    const row = await findSession(sql, sessionId(token));
    if (row === undefined) return [null, null];
    const { user_id: userId, expires_at: expiresAt } = row;
    const user = { id: userId, attributes: {} };
    return [{ id: token, userId, expiresAt, attributes: { row } }, user];
  },
  // A token is not known from its digest.
  getUserSessions: async () => Promise.reject(new Error("the sessions of a user are listed by listSessions")),
  async setSession({ id: token, userId: user_id, expiresAt: expires_at, attributes: { made } }) {
    if (made === undefined) throw new TypeError("a session is created by a visitor, in an account");
    const { accountId: account_id, way, address, userAgent: user_agent } = made;
    await insertSession(sql, { id: sessionId(token), handle: newId(), user_id, account_id, way, address, user_agent, expires_at });
  },
  updateSessionExpiration: async (token, expiresAt) => void (await extendSession(sql, sessionId(token), expiresAt)),
  deleteSession: async (token) => void (await deleteSession(sql, sessionId(token))),
  deleteUserSessions: async (userId) => void (await deleteSessionsOfUser(sql, userId, null)),
  deleteExpiredSessions: async () => void (await deleteExpiredSessions(sql)),
});

/** The session's id in the database. */
export const sessionId = (token: string): string => digest(token).toString("hex");

/** A plain SHA-256 is enough: tokens have high entropy. */
export const digest = (token: string): Buffer => createHash("sha256").update(token).digest();

/** The streams of one user on this server at the same time. */
const mostStreams = 20;
const lookMs = 1_000;

const open = new Map<string, number>();

/**
 * Passes on the items of `read` for as long as the caller has the same account, role and address and is let in, which is looked up every second.
 * @param leave Aborted when the caller has gone and nobody reads any more.
 * @throws TRPCError UNAUTHORIZED when that ends, TOO_MANY_REQUESTS when the user has too many streams
 */
export function whileLetIn<T>(...passed: Parameters<typeof passOn<T>>): AsyncGenerator<T> {
  const items = passOn(...passed);
  const next = items.next.bind(items);
  // The transport asks for the next item before somebody takes the last: a refusal that nobody waits for yet would end the whole server.
  items.next = () => {
    const item = next();
    item.catch(() => undefined);
    return item;
  };
  return items;
}

type Watched = { sql: Sql; log: Logger; caller: Caller };

async function* passOn<T>({ sql, log, caller }: Watched, leave: AbortSignal, read: (ended: AbortSignal) => AsyncIterable<T>) {
  const count = open.get(caller.userId) ?? 0;
  if (count >= mostStreams)
    throw new Refusal("TOO_MANY_REQUESTS", say("You have {most} live views open: close one, then try again", { most: mostStreams }));
  open.set(caller.userId, count + 1);
  const ended = new AbortController();
  const stop = repeat(async () => (await isLetIn(sql, caller)) || ended.abort(), lookMs, log);
  try {
    yield* read(AbortSignal.any([leave, ended.signal]));
    if (ended.signal.aborted && !leave.aborted) throw new Refusal("UNAUTHORIZED", say("Your access has ended or changed: sign in again"));
  } finally {
    void stop();
    const left = (open.get(caller.userId) ?? 1) - 1;
    if (left > 0) open.set(caller.userId, left);
    else open.delete(caller.userId);
  }
}

async function isLetIn(sql: Sql, caller: Caller): Promise<boolean> {
  const now = await findNow(sql, caller);
  if (now === undefined || now.role !== caller.role || !letsIn(now.allowed_addresses, caller.from.address)) return false;
  return !("account_id" in now) || (now.expires_at > new Date() && now.account_id === caller.accountId && !now.must_enroll);
}
