import { randomBytes } from "node:crypto";
import type { TRPCError } from "@trpc/server";
import type { signUpInput } from "shared/core/input/team";
import { type Said, say, write } from "shared/core/wording";
import { insertAccount } from "shared/db/account";
import { newId } from "shared/db/ids";
import { takeBackTry, takeTries } from "shared/db/login-try";
import { insertMembership, type MemberRow } from "shared/db/membership";
import { type Sql, inTransaction } from "shared/db/statement";
import { anyUserExists, insertUser } from "shared/db/user";
import { isGuessable } from "shared/guessable-password";
import { isSameSecret } from "shared/secrets/signature";
import { placeIn } from "shared/secrets/vault";
import { ConfigurationError } from "shared/server/configuration-error";
import type { z } from "zod";
import type { AdminContext, CallContext, RequestContext } from "../context.ts";
import { connectNewAccount } from "../sandbox/account.ts";
import { guarded, wideNetworkOf } from "../session/guess-limit.ts";
import { hashPassword, requireStrongPassword, weakPassword } from "../session/passwords.ts";
import { digest } from "../session/sessions.ts";
import { asActor, type SignedIn, signInUnlessChanged } from "../session/sign-in.ts";
import { recordMutation } from "../trpc/audit-trail.ts";
import { conflict, Refusal, tooMany } from "../trpc/errors.ts";
import { mailProof } from "./profile.ts";

/** Opens an account and signs its owner in. */
export async function signUp(context: CallContext, input: z.output<typeof signUpInput>): Promise<SignedIn> {
  const { allowSignUp } = context.config;
  if (!allowSignUp) await checkSetupCode(context, input.setupCode);
  const { accountName, email, password, name = nameFromEmail(email) } = input;
  requireStrongPassword(password, [accountName, email, name]);
  const turn = allowSignUp ? await takeSignUp(context) : null;
  const openedFrom = turn && context.vault.fingerprint(`opened from ${wideNetworkOf(context.address)}`);
  const guess = { what: "sign-up", from: context.address };
  const record = async (sql: Sql, owner: MemberRow): Promise<void> => {
    await context.actAs(asActor(owner), {}, sql);
    if (turn === null || (await mailProof({ ...context, sql }, owner))) return;
    // Nobody could ever wake it.
    if (turn.sleeps) throw tooManyAccounts(3_600);
  };
  const open = async () => {
    // Before the guess, which holds the turn that hashing takes.
    const passwordHash = await hashPassword(password);
    const wanted = { accountName, email, name, passwordHash, openedFrom, sleeps: turn?.sleeps === true };
    const attempt = () => openAccount(context, wanted, !allowSignUp, record);
    // Only taken addresses count as wrong guesses: trying one address after the other would reveal who has an account.
    return { user: await guarded(context.sql, guess, attempt, (opened) => opened !== "taken"), passwordHash };
  };
  const { user, passwordHash } = await open().catch(async (error: unknown) => {
    await turn?.takeBack();
    throw error;
  });
  if (typeof user === "string") await turn?.takeBack();
  if (user === "closed") throw closed();
  if (user === "taken") throw conflict("This sign-up cannot be completed: sign in if you have an account, or use another address");
  await connectNewAccount(context, user.account_id);
  return signInUnlessChanged(context, user, passwordHash);
}

/** The most accounts that are opened in an hour: from one network (a /24, of IPv6 a /48), and from anywhere before new ones have to wait for their owner's mailbox. */
const most = { ofNetwork: 5, anywhere: 60 };
const withinMinutes = 60;

/**
 * Counts the opening of an account, at all servers together. `sleeps`: nothing is open to it until the link that is mailed to its owner is opened. `takeBack`
 * is called if no account was opened: it counts as if nobody had asked. @throws TRPCError TOO_MANY_REQUESTS
 */
async function takeSignUp({ sql, address, mailer }: RequestContext) {
  const ofNetwork = { key: digest(`sign-up ${wideNetworkOf(address)}`), most: most.ofNetwork, withinMinutes };
  const anywhere = { key: digest("sign-up anywhere"), most: most.anywhere, withinMinutes };
  const taken = await takeTries(sql, [ofNetwork]);
  if ("waitSeconds" in taken) throw tooManyAccounts(taken.waitSeconds);
  const takeBack = async (): Promise<void> => {
    for (const counted of taken.tries) await takeBackTry(sql, counted);
  };
  const beyond = await takeTries(sql, [anywhere]);
  if (!("waitSeconds" in beyond)) {
    taken.tries.push(...beyond.tries);
    return { sleeps: false, takeBack };
  }
  if (mailer !== null) return { sleeps: true, takeBack };
  await takeBack();
  throw tooManyAccounts(beyond.waitSeconds);
}

function tooManyAccounts(seconds: number) {
  const minutes = Math.ceil(seconds / 60);
  const said = say("Too many accounts were opened: try again in {minutes, plural, one {# minute} other {# minutes}}", { minutes });
  return tooMany(seconds, said);
}

/** @throws TRPCError FORBIDDEN once there is a user, unless ALLOW_SIGNUP is set. */
export async function checkSignUpIsOpen({ sql, config }: RequestContext): Promise<void> {
  if (!config.allowSignUp && (await anyUserExists(sql))) throw closed();
}

const closed = (): TRPCError => new Refusal("FORBIDDEN", say("Sign-up is closed here: ask an owner for an invitation, or sign in"));

/** Keeps a stranger who finds a fresh server on the network from becoming its owner. */
async function checkSetupCode(context: RequestContext, given: string | undefined): Promise<void> {
  if (context.isLocal) return;
  const { setupCode } = context.config;
  if (setupCode === null)
    throw needsCode(say("start the server with SETUP_CODE set and enter that code, or sign up on the server's own machine"));
  if (given === undefined) throw needsCode(say("enter the setup code that was printed when the server started"));
  const guess = { what: "setup code", from: context.address };
  const isRight = await guarded(context.sql, guess, async () => isSameSecret(given, setupCode), Boolean);
  if (!isRight) throw needsCode(say("the setup code is wrong; it was printed when the server started"));
}

const needsCode = (what: Said): TRPCError =>
  new Refusal("FORBIDDEN", say("The first sign-up from another machine needs the setup code: {what}", { what }));

/** Creates the owner of ADMIN_EMAIL while there is no user. */
export async function makeFirstOwner(context: AdminContext): Promise<void> {
  const { firstOwner } = context.config;
  if (firstOwner === null || (await anyUserExists(context.sql))) return;
  const { email, password } = firstOwner;
  if (isGuessable(password, [email])) throw new ConfigurationError([`ADMIN_PASSWORD ${write(weakPassword).replace("Is", "is")}`]);
  const passwordHash = await hashPassword(password);
  const wanted = { accountName: "My account", email, name: nameFromEmail(email), passwordHash, openedFrom: null, sleeps: false };
  const owner = await openAccount(context, wanted, true, (sql, { account_id: accountId, id: subject }) =>
    recordMutation(
      { sql, address: null },
      { accountId, name: "ADMIN_EMAIL", userId: null, tokenId: null },
      { action: "auth.signUp", subject },
    ),
  );
  if (typeof owner === "string") return;
  context.log.info({ email }, "first owner made");
  await connectNewAccount(context, owner.account_id);
}

/** The part before the @: a first name for the person until they choose one. */
const nameFromEmail = (email: string): string => email.slice(0, email.lastIndexOf("@"));

interface AccountToOpen {
  accountName: string;
  email: string;
  name: string;
  passwordHash: string;
  /** A digest of the network from which anybody may open an account; null for the installation's own first owner. */
  openedFrom: string | null;
  /** True if nothing is open to the owner until they have opened the mailed link. */
  sleeps: boolean;
}

/**
 * Creates an account and its owner. With `onlyFirst` it answers `closed` once there is any user; of several attempts at once, on whichever servers, one
 * succeeds. `taken`: another user has that address.
 */
async function openAccount(
  { sql, vault }: Pick<AdminContext, "sql" | "vault">,
  { accountName, email, name, passwordHash, openedFrom, sleeps }: AccountToOpen,
  onlyFirst: boolean,
  record: (sql: Sql, owner: MemberRow) => Promise<void>,
): Promise<MemberRow | "closed" | "taken"> {
  try {
    return await inTransaction(sql, async (transaction) => {
      if (onlyFirst) await transaction`select pg_advisory_xact_lock(${firstUserLock}::bigint)`;
      if (onlyFirst && (await anyUserExists(transaction))) return "closed";
      const accountId = newId();
      const seal = await vault.sealer(transaction);
      const verify_token = seal(randomBytes(24).toString("base64url"), placeIn("account.verify_token", accountId));
      await insertAccount(transaction, { id: accountId, name: accountName, verify_token, opened_from: openedFrom });
      const userId = newId();
      const person = { id: userId, email, name, password_hash: passwordHash, email_proven: openedFrom === null, sleeps };
      if (!(await insertUser(transaction, person))) throw new AddressTaken();
      const owner = await insertMembership(transaction, { userId, accountId, role: "owner" });
      if (owner === undefined) throw new AddressTaken();
      await record(transaction, owner);
      return owner;
    });
  } catch (error) {
    if (error instanceof AddressTaken) return "taken";
    throw error;
  }
}

/** Rolls back the account that was just inserted. */
class AddressTaken extends Error {
  override readonly name = "AddressTaken";
}

/** An advisory lock id that nothing else uses. */
const firstUserLock = 7_305_461;
