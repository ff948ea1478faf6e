import { changeEmailInput, linkTokenInput, forgotPasswordInput } from "shared/core/input/team";
import { nameInput, noInput } from "shared/core/input/values";
import { say } from "shared/core/wording";
import { lockForAudit } from "shared/db/audit";
import { isInvited } from "shared/db/invite";
import { hasProvenOwner, listMemberships, type MemberRow } from "shared/db/membership";
import { areManyPending } from "shared/db/outbox";
import { findSession } from "shared/db/session";
import { type Sql, inTransaction } from "shared/db/statement";
import { findEmailState, findPasswordHash, findUserByEmail, lockUser, proveEmail, setEmail, setName } from "shared/db/user";
import type { Vault } from "shared/secrets/vault";
import type { CallContext, RequestContext } from "../context.ts";
import { writeLetter } from "../mail/letters.ts";
import { addressHash, enqueue, enqueueMail } from "../mail/outbox.ts";
import type { Caller } from "../session/caller.ts";
import { guarded } from "../session/guess-limit.ts";
import { readMarked, writeMarked } from "../session/marked.ts";
import { lockMemberships, requireStillSignedIn, sessionId } from "../session/sessions.ts";
import { asActor } from "../session/sign-in.ts";
import { conflict, notFound, tooBusy, tooMany } from "../trpc/errors.ts";
import { publicProcedure, router, viewerProcedure } from "../trpc/trpc.ts";

/** Part of `auth`: changes that people make to themselves, and the links that are mailed to them: to prove an address, for a new one, for a forgotten password. */
export const profileRouter = router({
  /** Sends the owner of a new account the link again by which they show that the mailbox is theirs. */
  resendProof: viewerProcedure.input(noInput).mutation(async ({ ctx }) => {
    const { userId: id, email, accountId: account_id } = ctx.caller;
    if (ctx.mailer === null) throw conflict("This server sends no e-mail: set SMTP_URL and MAIL_FROM on the server");
    if ((await findEmailState(ctx.sql, id))?.email_proven === true) throw conflict("Your address is confirmed already");
    const isMailed = await inTransaction(ctx.sql, (sql) => mailProof({ ...ctx, sql }, { id, email, account_id }));
    if (!isMailed) throw tooMany(86_400, say("Too many e-mails were sent: try again tomorrow"));
    return { mailed: true };
  }),

  /** Takes the token of the mailed link. The same link may be opened again. */
  proveEmail: publicProcedure.input(linkTokenInput).mutation(({ ctx, input: { token } }) =>
    inTransaction(ctx.sql, async (sql) => {
      const { userId, email } = readProofToken(ctx, token);
      const memberships = await lockMemberships(sql, userId);
      if (memberships.length === 0 || !(await proveEmail(sql, userId, email))) throw noSuchProof();
      for (const member of memberships) await ctx.actAs(asActor(member), {}, sql);
      return { email };
    }),
  ),

  changeName: viewerProcedure.input(nameInput).mutation(async ({ ctx, input: { name } }) => {
    const { userId, name: before } = ctx.caller;
    await inTransaction(ctx.sql, async (sql) => {
      await lockForAudit(sql, ctx.caller.accountId);
      await requireStillSignedIn(sql, ctx.caller);
      await setName(sql, userId, name);
      await ctx.record(sql, { changes: [{ member: "name", before, after: name }] });
    });
    return { name };
  }),

  /** `mailed`: the address changes once the link that was sent there is opened; where no mail is set up it changes at once. */
  changeEmail: viewerProcedure.input(changeEmailInput).mutation(async ({ ctx, input: { email } }) => {
    if (email === ctx.caller.email) throw conflict("This is your address already");
    await requireOwnAddress(ctx.sql, ctx.caller.userId);
    if (ctx.mailer !== null) {
      await mailLink(ctx, ctx.caller, email);
      ctx.recordNothing();
      return { mailed: true };
    }
    await requireMayChooseAddress(ctx.sql, ctx.caller.userId, email);
    // Counts as a guess, since the answer tells which addresses are taken.
    const guess = { what: `new address of ${ctx.caller.userId}`, from: ctx.address };
    const { userId, email: from } = ctx.caller;
    const isFree = await guarded(ctx.sql, guess, async () => changeAddress(ctx, { userId, from, to: email, caller: ctx.caller }), Boolean);
    if (!isFree) throw taken();
    return { mailed: false };
  }),

  /** Confirms a new address with the token of the link that was sent to it. */
  confirmEmail: publicProcedure.input(linkTokenInput).mutation(async ({ ctx, input: { token } }) => {
    const { userId, from, to, session } = await readToken(ctx, token);
    // Who has asked is signed out: it may have been somebody else with the person's session.
    if ((await findSession(ctx.sql, session))?.user_id !== userId) throw noSuchLink();
    if (!(await changeAddress(ctx, { userId, from, to, caller: null }))) throw taken();
    return { email: to };
  }),

  /** Sends a link that sets a new password. */
  forgotPassword: publicProcedure.input(forgotPasswordInput).mutation(async ({ ctx, input }) => {
    if (ctx.mailer === null)
      throw conflict("This server sends no e-mail: ask an owner of your account for a link, or see npm run reset-password");
    // Frequent requests are slowed down like wrong guesses: each counts as one.
    await guarded(
      ctx.sql,
      { what: `forgotten password of ${input.email.toLowerCase()}`, from: ctx.address },
      async () => requestReset(ctx, input.email),
      () => false,
    );
    ctx.recordNothing();
    return {};
  }),
});

const noSuchProof = () => notFound("link, or it is too old, or belongs to a former address: ask for a new one");

const proofMs = 3 * 86_400_000;

/** Has the link that proves an address mailed once the transaction `sql` is committed; false if too many mails were sent. */
export async function mailProof(context: RequestContext, member: Pick<MemberRow, "id" | "email" | "account_id">) {
  const { vault, clock, config, address } = context;
  const { id: userId, email, account_id: accountId } = member;
  const expiresAt = new Date(clock().getTime() + proofMs);
  const token = makeProofToken(vault, { userId, email, until: expiresAt.getTime() });
  const letter = writeLetter("proof", { url: `${config.publicAdminUrl}/confirm-email#${token}` });
  return await enqueueMail(context, { kind: "confirm", accountId, to: email, letter, expiresAt, by: { address, isOwner: true } });
}

interface ProofClaims {
  userId: string;
  email: string;
  /** The end of the link, in milliseconds. */
  until: number;
}

/** Tells the page apart from a link that changes an address. */
const beginning = "prove.";

/** The token of a link that proves an address. */
export const makeProofToken = (vault: Vault, claims: ProofClaims): string => beginning + writeMarked(vault, "email proof", claims);

function readProofToken({ vault, clock }: RequestContext, token: string): ProofClaims {
  const marked = token.startsWith(beginning) ? token.slice(beginning.length) : "";
  const claims = readMarked<ProofClaims>(vault, "email proof", marked, clock());
  if (claims === null) throw noSuchProof();
  return claims;
}

const taken = () => conflict("Somebody signs in with this address already");
const noSuchLink = () => notFound("link, or it was used or is too old: ask for a new one");

/** Refuses a new address where the company's sign-in gives the person's. */
async function requireOwnAddress(sql: Sql, userId: string): Promise<void> {
  if ((await listMemberships(sql, userId)).some((each) => each.require_sso))
    throw conflict("Your company's sign-in gives your address: it is changed there");
}

/**
 * Where no mail is set up nobody can check that an address is theirs: only an owner, who answers for the account, takes another one, and none that somebody
 * was invited with. @throws TRPCError CONFLICT
 */
async function requireMayChooseAddress(sql: Sql, userId: string, address: string): Promise<void> {
  if ((await listMemberships(sql, userId)).some(({ role }) => role !== "owner"))
    throw conflict("This server sends no e-mail, so nobody can check the address: ask an owner to invite you with the new one");
  if (await isInvited(sql, address)) throw taken();
}

interface AddressChange {
  userId: string;
  from: string;
  to: string;
  /** The caller; null for a link, which proves who asks and that the address is theirs. */
  caller: Caller | null;
}

/**
 * Changes the person's address; records it in the audit of each of their accounts and tells the former address. False if somebody else has the new one.
 * @throws NOT_FOUND once the address is another
 */
const changeAddress = async (context: CallContext, { userId, from, to, caller }: AddressChange): Promise<boolean> =>
  inTransaction(context.sql, async (sql) => {
    await lockMemberships(sql, userId);
    const user = await lockUser(sql, userId);
    if (caller !== null) await requireStillSignedIn(sql, caller);
    if (user?.email !== from) throw noSuchLink();
    await requireOwnAddress(sql, userId);
    const other = await findUserByEmail(sql, to);
    if (other !== undefined && other.id !== userId) return false;
    await setEmail(sql, userId, to, caller === null);
    const members = await listMemberships(sql, userId);
    for (const member of members)
      await context.actAs({ ...asActor(member), name: from }, { changes: [{ member: "email", before: from, after: to }] }, sql);
    await tellFormerAddress({ ...context, sql }, members[0]?.account_id ?? null, from, to);
    return true;
  });

const toldMs = 7 * 86_400_000;

/** Is not limited like other mails, so that nobody can suppress it by asking for others. */
async function tellFormerAddress({ sql, vault, mailer, clock }: RequestContext, accountId: string | null, from: string, to: string) {
  if (mailer === null) return;
  const expiresAt = new Date(clock().getTime() + toldMs);
  const content = { to: from, letter: writeLetter("addressChanged", { to }) };
  await enqueue({ sql, vault }, { accountId, kind: "confirm", toHash: addressHash(vault, from), content, expiresAt });
}

const linkMs = 3_600_000;

async function mailLink(context: RequestContext, { userId, accountId, email: from, via }: Caller, to: string): Promise<void> {
  const expiresAt = new Date(context.clock().getTime() + linkMs);
  const passwordHash = (await findPasswordHash(context.sql, userId)) ?? "";
  const session = via.kind === "session" ? sessionId(via.token) : "";
  const token = makeToken(context.vault, { userId, from, to, session, until: expiresAt.getTime() }, passwordHash);
  const letter = writeLetter("newAddress", { url: `${context.config.publicAdminUrl}/confirm-email#${token}`, from });
  const by = { address: context.address };
  if (await enqueueMail(context, { kind: "confirm", accountId, to, letter, expiresAt, by })) return;
  throw (await hasProvenOwner(context.sql, accountId)) ? tooBusy() : conflict("Open the link that was sent to your own address first");
}

interface LinkClaims {
  userId: string;
  from: string;
  to: string;
  /** The id of the session that asked. */
  session: string;
  /** The end of the link, in milliseconds. */
  until: number;
}

const purpose = "new address";

/** The token of a mailed link: it is valid for an hour, as long as the person's address and password stay the same and the session lasts. */
export const makeToken = (vault: Vault, claims: LinkClaims, passwordHash: string): string =>
  writeMarked(vault, purpose, { ...claims, password: vault.fingerprint(passwordHash) });

async function readToken({ sql, vault, clock }: RequestContext, token: string): Promise<LinkClaims> {
  const claims = readMarked<LinkClaims & { password: string }>(vault, purpose, token, clock());
  const passwordHash = claims === null ? undefined : await findPasswordHash(sql, claims.userId);
  if (claims === null || passwordHash === undefined || claims.password !== vault.fingerprint(passwordHash)) throw noSuchLink();
  return claims;
}

const requestLifeMs = 3_600_000;
/** The most requests that wait for the job. */
const mostRequests = 1_000;

/** Queues the request. A job looks up later whether anybody has that address, so that neither the answer nor its time tells. */
async function requestReset({ sql, vault, clock }: RequestContext, email: string): Promise<void> {
  if (await areManyPending(sql, "reset_request", mostRequests)) throw tooBusy();
  const expiresAt = new Date(clock().getTime() + requestLifeMs);
  await inTransaction(sql, (transaction) =>
    enqueue({ sql: transaction, vault }, { accountId: null, kind: "reset_request", toHash: null, content: { email }, expiresAt }),
  );
}
