import * as openid from "openid-client";
import { emailSchema } from "shared/core/input/values";
import type { OidcConfig } from "../config.ts";
import { digest } from "./sessions.ts";

/** The reason why nobody is let in; the sign-in page has a text for each. */
export type OpenIdRefusal = "cancelled" | "unavailable" | "expired" | "unverified" | "unknown" | "invalid" | "otherPerson";

export class RefusedSignIn extends Error {
  override readonly name = "RefusedSignIn";
  readonly reason: OpenIdRefusal;
  constructor(reason: OpenIdRefusal, cause?: unknown) {
    super(`refused: ${reason}`, { cause });
    this.reason = reason;
  }
}

/** The values that an answer of the issuer has to match. */
export interface OpenIdAttempt {
  state: string;
  nonce: string;
  verifier: string;
  /** Milliseconds. */
  startedAt: number;
  /** True if the person has to sign in at the issuer again. */
  isProof: boolean;
}

export type OpenIdPerson = Awaited<ReturnType<OpenIdClient["finish"]>>;

const metadataMs = 600_000;
/** The most exchanges with the issuer at one time, and of one network. */
const mostAtOnce = { all: 50, ofOne: 10 };
/** Clocks may differ by this much. */
const toleranceSeconds = 30;

/** `redirectUri` is registered at the issuer. `from` is the network of the caller. */
export function createOpenIdClient(config: OidcConfig, redirectUri: string) {
  let found: { configurations: Promise<Configurations>; until: number } | null = null;
  const running: string[] = [];

  const configurationsNow = async (): Promise<Configurations> => {
    const now = performance.now();
    if (found === null || found.until < now) {
      const configurations = discover(config);
      found = { configurations, until: now + metadataMs };
      configurations.catch(() => (found = null));
    }
    return found.configurations.catch((error: unknown) => {
      throw new RefusedSignIn("unavailable", error);
    });
  };

  const bounded = async <T>(from: string, act: () => Promise<T>): Promise<T> => {
    const isFull = running.length >= mostAtOnce.all || running.filter((each) => each === from).length >= mostAtOnce.ofOne;
    if (isFull) throw new RefusedSignIn("unavailable");
    running.push(from);
    try {
      return await act();
    } finally {
      running.splice(running.indexOf(from), 1);
    }
  };

  return {
    /** The URL that the browser goes to. @throws RefusedSignIn */
    begin: (from: string, isProof: boolean, now: number) =>
      bounded(from, async () => {
        const [configuration] = await configurationsNow();
        const verifier = openid.randomPKCECodeVerifier();
        const attempt = { state: openid.randomState(), nonce: openid.randomNonce(), verifier, startedAt: now, isProof };
        const url = openid.buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          scope: "openid email profile",
          code_challenge: await openid.calculatePKCECodeChallenge(verifier),
          code_challenge_method: "S256",
          state: attempt.state,
          nonce: attempt.nonce,
          ...(isProof && { prompt: "login", max_age: "0" }),
        });
        return { url, attempt };
      }),
    /** The person who comes back with `query`. @throws RefusedSignIn */
    finish: (from: string, query: string, attempt: OpenIdAttempt) =>
      bounded(from, async () => {
        const claims = await exchange(await configurationsNow(), new URL(redirectUri + query), attempt);
        // Only in a token for several audiences is this looked at already.
        if ((claims["azp"] ?? config.clientId) !== config.clientId) throw new RefusedSignIn("invalid");
        if (attempt.isProof && !isSince(claims["auth_time"], attempt.startedAt)) throw new RefusedSignIn("invalid");
        return { ...verifiedPerson(claims), identity: identityOf(config, claims) };
      }),
  };
}

export type OpenIdClient = ReturnType<typeof createOpenIdClient>;

/** Whether `time` is a time in seconds between `startedAt`, in milliseconds, and now. */
function isSince(time: unknown, startedAt: number): boolean {
  const [earliest, latest] = [startedAt / 1000 - toleranceSeconds, Date.now() / 1000 + toleranceSeconds];
  return typeof time === "number" && time >= earliest && time <= latest;
}

/** One configuration for each way of sending the secret that the issuer takes; the one that last worked comes first. */
type Configurations = [openid.Configuration, ...openid.Configuration[]];

async function discover({ issuer, clientId, clientSecret }: OidcConfig): Promise<Configurations> {
  const execute = [openid.enableNonRepudiationChecks, ...(issuer.startsWith("http:") ? [openid.allowInsecureRequests] : [])];
  const client = { [openid.clockTolerance]: toleranceSeconds };
  const basic = await openid.discovery(new URL(issuer), clientId, client, openid.ClientSecretBasic(clientSecret), {
    [openid.customFetch]: boundedFetch,
    execute,
  });
  const methods = basic.serverMetadata().token_endpoint_auth_methods_supported ?? [];
  if (!methods.includes("client_secret_post")) return [basic];
  const post = new openid.Configuration(basic.serverMetadata(), clientId, client, openid.ClientSecretPost(clientSecret));
  post[openid.customFetch] = boundedFetch;
  for (const apply of execute) apply(post);
  return methods.includes("client_secret_basic") ? [basic, post] : [post];
}

type Claims = Record<string, unknown>;

/** The ID token's claims, with those of the userinfo if it has no address. */
async function exchange(configurations: Configurations, url: URL, attempt: OpenIdAttempt): Promise<Claims> {
  try {
    const { configuration, tokens } = await grant(configurations, url, attempt);
    const claims: Claims = { ...tokens.claims() };
    const subject = tokens.claims()?.sub ?? "";
    if (("email" in claims && "email_verified" in claims) || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
    const { email, email_verified } = await openid.fetchUserInfo(configuration, tokens.access_token, subject);
    return { ...claims, email, email_verified };
  } catch (error) {
    throw new RefusedSignIn(reasonOf(error), error);
  }
}

/** Exchanges the code. A client may be registered for one way of sending the secret though the issuer takes several; a wrong way leaves the code unused. */
async function grant(configurations: Configurations, url: URL, attempt: OpenIdAttempt) {
  const checks = {
    pkceCodeVerifier: attempt.verifier,
    expectedState: attempt.state,
    expectedNonce: attempt.nonce,
    idTokenExpected: true,
    ...(attempt.isProof && { maxAge: 600 }),
  };
  const [configuration, other] = configurations;
  try {
    return { configuration, tokens: await openid.authorizationCodeGrant(configuration, url, checks) };
  } catch (error) {
    if (other === undefined || !isClientRefused(error)) throw error;
    const tokens = await openid.authorizationCodeGrant(other, url, checks);
    configurations.splice(0, 2, other, configuration);
    return { configuration: other, tokens };
  }
}

const isClientRefused = (error: unknown): boolean =>
  error instanceof openid.WWWAuthenticateChallengeError || (error instanceof openid.ResponseBodyError && error.error === "invalid_client");

function reasonOf(error: unknown): OpenIdRefusal {
  if (error instanceof openid.AuthorizationResponseError) return error.error === "access_denied" ? "cancelled" : "invalid";
  const { cause } = error instanceof Error ? error : { cause: undefined };
  return [error, cause].some((each) => each instanceof IssuerAway) ? "unavailable" : "invalid";
}

/** The person with a verified address. Only ASCII letters are accepted, since the database would take some others for those that they look like. */
function verifiedPerson({ email, email_verified: isVerified, name }: Claims): { email: string; name: string | null } {
  const address = emailSchema.safeParse(email);
  if (isVerified !== true || !address.success || address.data !== email) throw new RefusedSignIn("unverified");
  return { email: address.data, name: typeof name === "string" ? name : null };
}

/** Who the person is at the issuer, whatever address they have there by now. `issuer`: it and the name under which we are registered there; `subject`: its name for them. Both are digests. */
function identityOf({ issuer, clientId }: OidcConfig, { sub }: Claims) {
  if (typeof sub !== "string" || sub === "") throw new RefusedSignIn("invalid");
  return { issuer: digest(JSON.stringify([issuer, clientId])).toString("hex"), subject: digest(sub).toString("hex") };
}

/** The issuer did not answer, or not in time, or with too much, or with an error of its own. */
class IssuerAway extends Error {
  override readonly name = "IssuerAway";
}

const answerMs = 4_000;
const mostBytes = 262_144;

/** Waits a few seconds for the whole answer, and reads no more than a limit of it. */
async function boundedFetch(url: string, options: openid.CustomFetchOptions): Promise<Response> {
  try {
    const answer = await fetch(url, { ...options, signal: AbortSignal.timeout(answerMs) } as RequestInit);
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for await (const part of answer.body ?? []) {
      bytes += part.length;
      if (bytes > mostBytes) throw new Error(`the answer has more than ${mostBytes} bytes`);
      parts.push(part);
    }
    const { status, headers } = answer;
    if (status >= 500) throw new Error(`the answer is ${status}`);
    return new Response(bytes === 0 ? null : Buffer.concat(parts), { status, headers });
  } catch (cause) {
    throw new IssuerAway("the issuer does not answer", { cause });
  }
}
