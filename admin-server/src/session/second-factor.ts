import { isIP } from "node:net";
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import type { TRPCError } from "@trpc/server";
import { say } from "shared/core/wording";
import { insertChallenge, takeChallenge } from "shared/db/challenge";
import { newId } from "shared/db/ids";
import { findPasskey, insertPasskey, isPasskey, listPasskeys, notePasskeyUse, type PasskeyRow } from "shared/db/passkey";
import { findTotp, takeRecoveryCode, takeTotpStep } from "shared/db/second-factor";
import { inTransaction } from "shared/db/statement";
import { findPasswordHash, lockUser } from "shared/db/user";
import { placeIn } from "shared/secrets/vault";
import type { RequestContext, CallContext } from "../context.ts";
import { conflict, invalidInput, Refusal } from "../trpc/errors.ts";
import type { Caller } from "./caller.ts";
import { guarded } from "./guess-limit.ts";
import { readMarked, writeMarked } from "./marked.ts";
import { isPassword } from "./passwords.ts";
import { digest, requireStillSignedIn } from "./sessions.ts";
import { chosenMembership, recordFailure, signIn, type SignedIn } from "./sign-in.ts";
import { findStep, randomBase32 } from "./totp.ts";

/** @throws TRPCError BAD_REQUEST at the input's member `name`, TOO_MANY_REQUESTS */
export async function requirePassword(context: RequestContext, { userId }: Caller, password: string, name: string): Promise<void> {
  const guess = { what: `password of ${userId}`, from: context.address, slows: true };
  const check = async () => isPassword(password, await findPasswordHash(context.sql, userId));
  if (!(await guarded(context.sql, guess, check, Boolean)))
    throw invalidInput([{ path: [name], said: say("This is not your current password. Try again, and look whether Caps Lock is on.") }]);
}

/**
 * Takes a code of the user's authenticator app, or a recovery code: each works once, also when it comes twice at the same moment.
 * False when it is wrong. @throws TRPCError TOO_MANY_REQUESTS after ten wrong ones of the user
 */
export async function isSecondFactor(context: RequestContext, userId: string, code: string): Promise<boolean> {
  const guess = { what: `second factor of ${userId}`, from: context.address, anywhere: true };
  return guarded(context.sql, guess, () => takeCode(context, userId, code.replaceAll(/[\s-]/g, "")), Boolean);
}

async function takeCode({ sql, vault, clock }: RequestContext, userId: string, code: string): Promise<boolean> {
  if (!/^\d{6}$/.test(code)) return takeRecoveryCode(sql, userId, digest(code.toLowerCase()));
  const totp = await findTotp(sql, userId);
  if (totp === undefined) return false;
  const step = findStep(vault.open(totp.secret, placeIn("totp.secret", "", userId)), code, { now: clock(), last: totp.last_step });
  return step !== null && takeTotpStep(sql, userId, totp.secret, step);
}

export const wrongCode = (): TRPCError =>
  new Refusal("UNAUTHORIZED", say("The code is wrong or was already used: enter the app's next code, or a recovery code"));

const recoveryCodeCount = 10;

/** New recovery codes of 80 random bits each, in groups, and the digests to store. */
export function makeRecoveryCodes(): { codes: string[]; hashes: Buffer[] } {
  const plain = Array.from({ length: recoveryCodeCount }, () => randomBase32(10).toLowerCase());
  return { codes: plain.map((code) => code.replaceAll(/.{4}(?=.)/g, "$&-")), hashes: plain.map(digest) };
}

// The library is loaded at the first use: it takes as long as everything else of the server.
const webauthn = async () => import("@simplewebauthn/server");

const most = 20;
const lifeMs = 300_000;

/** Ed25519, ES256 and RS256. The library would offer what the newest Node alone can verify, with a warning in the log. */
const supportedAlgorithmIDs = [-8, -7, -257];

/** A browser's answer, not yet checked. */
type Response = Record<string, unknown>;

/** The host and the origin of the dashboard. No passkey is made for an IP address: its host is then `localhost`. */
function relyingParty({ config }: RequestContext): { rpID: string; origin: string } {
  const url = new URL(config.publicAdminUrl);
  if (isIP(url.hostname.replace(/^\[(.*)\]$/, "$1")) !== 0) url.hostname = "localhost";
  return { rpID: url.hostname, origin: url.origin };
}

/** The options from which the browser makes a passkey of the user. @throws TRPCError CONFLICT */
export async function registrationOptions(context: RequestContext, { userId, email, name }: Caller) {
  const passkeys = await listPasskeys(context.sql, userId, { before: null, limit: most });
  if (passkeys.length >= most) throw full();
  const { generateRegistrationOptions } = await webauthn();
  const options = await generateRegistrationOptions({
    rpName: "Tidings",
    rpID: relyingParty(context).rpID,
    userName: email,
    userDisplayName: name,
    userID: Uint8Array.from(Buffer.from(userId)),
    timeout: lifeMs,
    attestationType: "none",
    excludeCredentials: passkeys.map(toDescriptor),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    supportedAlgorithmIDs,
  });
  const hash = digest(options.challenge);
  await insertChallenge(context.sql, { hash, purpose: "add_passkey", user_id: userId, expires_at: endOf(context) });
  return options;
}

/** Stores the passkey that the browser made. @throws TRPCError BAD_REQUEST, CONFLICT */
export async function register(context: CallContext, caller: Caller, name: string, response: Response): Promise<PasskeyRow> {
  const { userId } = caller;
  const credential = await readCredential(context, userId, response);
  if (credential === null) throw invalidInput([{ path: ["response"], said: say("The passkey was not accepted: begin again") }]);
  const { id: credential_id, publicKey, counter, transports = [] } = credential;
  const public_key = Buffer.from(publicKey);
  const passkey = { id: newId(), user_id: userId, name, credential_id, public_key, counter, transports };
  const added = await inTransaction(context.sql, async (sql) => {
    await lockUser(sql, userId);
    await requireStillSignedIn(sql, caller);
    const row = await insertPasskey(sql, passkey, most);
    if (row !== undefined && row !== "full")
      await context.record(sql, { subject: row.id, changes: [{ member: "name", personal: true, after: name }] });
    return row;
  });
  if (added === "full") throw full();
  if (added === undefined) throw conflict("This passkey is already added");
  return added;
}

async function readCredential(context: RequestContext, userId: string, response: Response) {
  const { rpID, origin } = relyingParty(context);
  try {
    if (!(await isUnattested(response))) return null;
    const { verifyRegistrationResponse } = await webauthn();
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: response as unknown as RegistrationResponseJSON,
      expectedChallenge: (challenge) => takeChallenge(context.sql, digest(challenge), "add_passkey", userId),
      expectedOrigin: origin,
      expectedRPID: rpID,
      requireUserVerification: true,
      supportedAlgorithmIDs,
    });
    const credential = verified ? registrationInfo.credential : null;
    return credential !== null && credential.id.length <= longestId ? credential : null;
  } catch (error) {
    context.log.info({ err: error }, "passkey not accepted");
    return null;
  }
}

/** WebAuthn's own limit of 1,023 bytes, as base64url. */
const longestId = 1_364;

/** Whether the passkey comes without a certificate. We ask for none, and checking one would make the server call the addresses that it names. */
async function isUnattested(response: Response): Promise<boolean> {
  const { decodeAttestationObject, isoBase64URL } = await import("@simplewebauthn/server/helpers");
  const { attestationObject } = (response as unknown as RegistrationResponseJSON).response;
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject));
  return ["none", "packed"].includes(attestation.get("fmt")) && attestation.get("attStmt").get("x5c") === undefined;
}

const full = (): TRPCError => conflict("You have {most} passkeys: remove one that you do not use", { most });

const toDescriptor = ({ credential_id: id, transports }: PasskeyRow) => ({ id, transports });

const endOf = ({ clock }: RequestContext): Date => new Date(clock().getTime() + lifeMs);

/** The purpose of a signature: to sign in as the passkey's user, or to prove that the user is there. */
type Purpose = { for: "sign in" } | { for: "confirm"; userId: string };

interface MarkedChallenge {
  purpose: Purpose;
  challenge: string;
  until: number;
}

/**
 * The options with which the browser asks for a signature. They are the same for everybody who signs in, so that they do not tell who has an account.
 * Nothing is stored until the challenge comes back: it carries a mark that only this installation can make.
 */
export async function signatureOptions(context: RequestContext, purpose: Purpose) {
  const allowed = purpose.for === "confirm" ? await listPasskeys(context.sql, purpose.userId, { before: null, limit: most }) : [];
  const { generateAuthenticationOptions } = await webauthn();
  const options = await generateAuthenticationOptions({
    rpID: relyingParty(context).rpID,
    timeout: lifeMs,
    userVerification: "required",
    allowCredentials: allowed.map(toDescriptor),
  });
  const marked: MarkedChallenge = { purpose, challenge: options.challenge, until: endOf(context).getTime() };
  return { options, challenge: writeMarked(context.vault, challengeMark, marked) };
}

const challengeMark = "passkey challenge";

interface Signature {
  challenge: string;
  response: Response;
}

/** Signs in the passkey's user: the device has verified the person, so nothing else is asked. @throws TRPCError UNAUTHORIZED, TOO_MANY_REQUESTS */
export async function signInByPasskey(context: CallContext, signature: Signature): Promise<SignedIn> {
  const passkey = await requireSignature(context, { for: "sign in" }, signature);
  const signedIn = await signIn(context, await chosenMembership(context.sql, passkey.user_id, "passkey"), "passkey");
  // The passkey was removed in between, perhaps with all sessions: then this one must end too.
  if (await isPasskey(context.sql, passkey.id)) return signedIn;
  await context.sessions.end(signedIn.token);
  throw notAccepted();
}

const notAccepted = (): TRPCError => new Refusal("UNAUTHORIZED", say("The passkey was not accepted: try again, or use your password"));

/** The passkey that signed. A challenge and a count of signatures work once. @throws TRPCError UNAUTHORIZED if the signature is not right, TOO_MANY_REQUESTS */
export async function requireSignature(context: RequestContext, purpose: Purpose, { challenge, response }: Signature): Promise<PasskeyRow> {
  const credentialId = typeof response["id"] === "string" ? response["id"].slice(0, longestId) : "";
  const guess = { what: `passkey ${credentialId}`, from: context.address };
  // Null if it is not ours, was made for something else, or has ended.
  const read = readMarked<MarkedChallenge>(context.vault, challengeMark, challenge, context.clock());
  const marked = JSON.stringify(read?.purpose) === JSON.stringify(purpose) ? read : null;
  const check = async (): Promise<PasskeyRow | null> => {
    const passkey = marked && (await findPasskey(context.sql, credentialId));
    if (!passkey || (purpose.for === "confirm" && passkey.user_id !== purpose.userId)) return null;
    const isRight = await isSignature(context, marked, passkey, response);
    if (!isRight) await recordFailure(context, await chosenMembership(context.sql, passkey.user_id, "passkey"));
    return isRight ? passkey : null;
  };
  const passkey = await guarded(context.sql, guess, check, (found) => found !== null);
  if (passkey === null) throw notAccepted();
  return passkey;
}

async function isSignature(context: RequestContext, marked: MarkedChallenge, passkey: PasskeyRow, response: Response): Promise<boolean> {
  const { rpID, origin } = relyingParty(context);
  const { credential_id: id, public_key, counter } = passkey;
  try {
    const { verifyAuthenticationResponse } = await webauthn();
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: response as unknown as AuthenticationResponseJSON,
      expectedChallenge: marked.challenge,
      expectedOrigin: origin,
      expectedRPID: rpID,
      credential: { id, publicKey: Uint8Array.from(public_key), counter },
      requireUserVerification: true,
    });
    if (!verified) return false;
    const spent = {
      hash: digest(marked.challenge),
      purpose: "spent" as const,
      user_id: passkey.user_id,
      expires_at: new Date(marked.until),
    };
    return (await insertChallenge(context.sql, spent)) && (await notePasskeyUse(context.sql, passkey, authenticationInfo.newCounter));
  } catch (error) {
    context.log.info({ err: error, address: context.address }, "wrong passkey");
    return false;
  }
}
