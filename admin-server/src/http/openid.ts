import type { Context as KoaContext, Middleware } from "koa";
import { nameSchema } from "shared/core/input/values";
import type { AuditChange } from "shared/db/audit";
import { newId } from "shared/db/ids";
import { takeInviteOfAddress } from "shared/db/invite";
import { takeTries } from "shared/db/login-try";
import { insertMembership, type MemberRow } from "shared/db/membership";
import { deleteSecondFactors } from "shared/db/second-factor";
import { noteProof } from "shared/db/session";
import { type Sql, inTransaction } from "shared/db/statement";
import {
  findUserByEmail,
  findUserByIdentity,
  insertUser,
  lockUser,
  mayBeIdentity,
  proveAddress,
  setIdentity,
  setPasswordHash,
} from "shared/db/user";
import { randomText } from "shared/secrets/signature";
import { networkOf } from "shared/server/networks";
import type { OidcConfig } from "../config.ts";
import type { AdminContext, CallContext, RequestContext } from "../context.ts";
import { readMarked, writeMarked } from "../session/marked.ts";
import { createOpenIdClient, type OpenIdAttempt, type OpenIdClient, type OpenIdPerson, RefusedSignIn } from "../session/openid.ts";
import { hashPassword } from "../session/passwords.ts";
import { digest, endEverything, identify, isSecure, lockMemberships, readCookies, sessionId } from "../session/sessions.ts";
import { asActor, chosenMembership, signIn } from "../session/sign-in.ts";
import { type Actor, callerAsActor, recordMutation, type Told } from "../trpc/audit-trail.ts";
import { visitContext } from "./request-context.ts";

const start = "/auth/oidc";
const callback = `${start}/callback`;

/**
 * Sign-in by the OpenID issuer. `GET /auth/oidc` leads to it; `?proof=1&next=PATH` asks it to check who is signed in again. The answer comes back to
 * `/auth/oidc/callback`, which sets the cookie and leads to `/`, or to the sign-in page with `?refused=` and a reason, without a cookie.
 */
export function openIdRoute(context: AdminContext, oidc: OidcConfig): Middleware {
  const client = createOpenIdClient(oidc, context.config.publicAdminUrl + callback);
  return async (koa, next) => {
    if (koa.method !== "GET" || (koa.path !== start && koa.path !== callback)) return next();
    koa.set("cache-control", "no-store");
    try {
      koa.redirect(await (koa.path === start ? begin(context, client, koa) : finish(context, client, koa)));
    } catch (error) {
      const reason = error instanceof RefusedSignIn ? error.reason : "unavailable";
      context.log.warn({ reason, why: causeOf(error) }, "sign-in by OpenID refused");
      koa.redirect(`/sign-in?refused=${reason}`);
    }
  };
}

/**
 * The messages of the errors, which themselves hold the issuer's answer with tokens and people's data. The message of a SyntaxError quotes it too, so its
 * name stands instead.
 */
function causeOf(error: unknown): string {
  const messages = [];
  for (let each = error; each instanceof Error && messages.length < mostCauses; each = each.cause)
    messages.push(each instanceof SyntaxError ? each.name : each.message);
  return messages.join(": ").slice(0, longestCause);
}

const mostCauses = 5;
const longestCause = 500;

/** The data that the browser brings back: which attempt it began, and where it goes on. */
interface Begun extends OpenIdAttempt {
  next: string;
  until: number;
}

const attemptSeconds = 600;
const longestPath = 500;

async function begin(context: AdminContext, client: OpenIdClient, koa: KoaContext): Promise<string> {
  const { url, attempt } = await client.begin(networkIn(context, koa), koa.query["proof"] === "1", context.clock().getTime());
  const next = typeof koa.query["next"] === "string" && isOwnPath(koa.query["next"]) ? koa.query["next"] : "/";
  const begun: Begun = { ...attempt, next, until: attempt.startedAt + attemptSeconds * 1000 };
  koa.append("set-cookie", cookieOf(context, writeMarked(context.vault, purpose, begun), attemptSeconds));
  return url.href;
}

const networkIn = (context: AdminContext, koa: KoaContext): string => networkOf(visitContext(context, koa).address);

/** Whether a path is on this host: `//host` and, to browsers, `/\host` name another, also what `/.//host` becomes. */
const isOwnPath = (path: string): boolean =>
  path.length <= longestPath && /^\/(?![/\\])[!-~]*$/u.test(path) && !new URL(path, "http://x").pathname.startsWith("//");

const cookieName = (context: AdminContext): string => `${isSecure(context.config) ? "__Host-" : ""}tidings_openid`;

/** The cookie is Lax, since the answer comes from the issuer's page. */
const cookieOf = (context: AdminContext, value: string, seconds: number): string =>
  `${cookieName(context)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure(context.config) ? "; Secure" : ""}`;

const purpose = "openid attempt";

async function finish(context: AdminContext, client: OpenIdClient, koa: KoaContext): Promise<string> {
  const begun: Begun | null = readMarked(context.vault, purpose, koa.cookies.get(cookieName(context)) ?? "", context.clock());
  if (begun === null || koa.query["state"] !== begun.state) throw new RefusedSignIn("expired");
  const person = await client.finish(networkIn(context, koa), koa.search, begun);
  // An answer counts once, whatever the issuer makes of a code that comes twice.
  const once = { key: digest(`openid state ${begun.state}`), most: 1, withinMinutes: attemptSeconds / 30 };
  if ("waitSeconds" in (await takeTries(context.sql, [once]))) throw new RefusedSignIn("expired");
  if (begun.isProof) await prove(context, koa, person);
  else await letIn(visitContext(context, koa), person);
  // A refusal sets no cookie: the attempt counts no more anyway.
  koa.append("set-cookie", cookieOf(context, "", 0));
  return begun.isProof ? begun.next : "/";
}

/** Notes a fresh proof of the session's own person. */
async function prove(context: AdminContext, koa: KoaContext, { email, identity }: OpenIdPerson): Promise<void> {
  const visit = visitContext(context, koa);
  const token = readCookies(koa.headers.cookie, isSecure(context.config)).session;
  const caller = token === null ? null : ((await identify(context, token, visit))?.caller ?? null);
  if (caller === null || caller.via.kind !== "session" || !caller.from.isAllowed) throw new RefusedSignIn("expired");
  const bound = await findUserByIdentity(context.sql, identity);
  const isSame = bound === undefined ? caller.email.toLowerCase() === email.toLowerCase() : bound.id === caller.userId;
  if (!isSame || !(await mayBeIdentity(context.sql, caller.userId, identity))) throw new RefusedSignIn("otherPerson");
  await noteProof(context.sql, sessionId(caller.via.token));
  await recordMutation(visit, callerAsActor(caller), { action: "auth.confirm", subject: null });
}

/**
 * Signs in the user who came with that identity before, else the one with that address, or the person with an open invitation to it. An address that the
 * issuer has given to somebody else does not open what its former owner had.
 */
async function letIn(visit: RequestContext, { email, name, identity }: OpenIdPerson): Promise<void> {
  const bound = await findUserByIdentity(visit.sql, identity);
  const user = bound ?? (await findUserByEmail(visit.sql, email));
  const record = (actor: Actor, told?: Told, sql: Sql = visit.sql) =>
    recordMutation({ ...visit, sql }, actor, { action: "auth.openId", subject: actor.userId, ...told });
  const signInAs = (member: MemberRow, actAs: CallContext["actAs"]) =>
    signIn({ ...visit, actAs, record: async () => {}, recordNothing: () => {}, isRecorded: () => false }, member, "sso");
  const joined = user === undefined ? await join(visit, { email, name }, record) : undefined;
  // The entry stands in the transaction of the joining.
  if (joined !== undefined) {
    await setIdentity(visit.sql, joined.id, identity);
    return void (await signInAs(joined, async () => {}));
  }
  // Another answer at the same moment may have used the invitation up.
  const known = user ?? (await findUserByEmail(visit.sql, email));
  if (known === undefined || !(await mayBeIdentity(visit.sql, known.id, identity))) throw new RefusedSignIn("unknown");
  const isTheirs = known.email.toLowerCase() === email.toLowerCase();
  if (isTheirs && !known.address_proven) await endUnproven(visit, known.id, record);
  await setIdentity(visit.sql, known.id, identity);
  await signInAs(await chosenMembership(visit.sql, known.id, "sso"), (actor, told) => record(actor, told));
}

/** Ends everything that the password could open: the issuer vouches for the address for the first time, and somebody else may have chosen the password. */
async function endUnproven({ sql: pool }: RequestContext, userId: string, record: RecordEntry): Promise<void> {
  const passwordHash = await hashPassword(randomText(43));
  await inTransaction(pool, async (sql) => {
    const memberships = await lockMemberships(sql, userId);
    await lockUser(sql, userId);
    if (!(await proveAddress(sql, userId))) return;
    await setPasswordHash(sql, userId, passwordHash);
    await deleteSecondFactors(sql, userId);
    await endEverything(sql, userId);
    for (const member of memberships) await record(asActor(member), { changes: ended }, sql);
  });
}

const ended: AuditChange[] = ["password", "secondFactors", "sessions", "accessTokens"].map((member) => ({ member, secret: true }));

type RecordEntry = (actor: Actor, told: Told, sql: Sql) => Promise<void>;

/** Makes a user of the newest open invitation; undefined without one. Nobody knows their password. */
async function join(visit: RequestContext, { email, name }: { email: string; name: string | null }, record: RecordEntry) {
  const given = nameSchema.safeParse(name);
  const password_hash = await hashPassword(randomText(43));
  return inTransaction(visit.sql, async (sql) => {
    const invite = await takeInviteOfAddress(sql, email);
    if (invite === undefined) return undefined;
    const { account_id: accountId, role } = invite;
    const id = newId();
    const person = {
      id,
      email: invite.email,
      name: given.success ? given.data : email.slice(0, email.lastIndexOf("@")),
      password_hash,
      address_proven: true,
    };
    if (!(await insertUser(sql, person))) throw new RefusedSignIn("expired");
    const member = await insertMembership(sql, { userId: id, accountId, role });
    if (member === undefined) throw new RefusedSignIn("expired");
    await record(asActor(member), { changes: [{ member: "role", after: role }] }, sql);
    return member;
  });
}
