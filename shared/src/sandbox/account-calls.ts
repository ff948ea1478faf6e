import { randomInt, createHmac } from "node:crypto";
import { once } from "node:events";
import { request } from "undici";
import { z } from "zod";
import { displayNumber, newAccount } from "./accounts.ts";
import type { SandboxContext } from "./context.ts";
import { unknownObject, badToken, invalidParameter, refusal } from "./graph-error.ts";
import { type Handler, ControlError, readControl, type Route, type Answer, type SandboxRequest } from "./http.ts";
import { sandboxLimits, type SandboxAccount, countCallbacks } from "./store.ts";
import { sampleTemplate } from "./templates/store.ts";

const create = z.strictObject({
  name: z.string().min(1).max(200).default("Sandbox account"),
  callbackUrl: z.url({ protocol: /^https?$/ }),
  verifyToken: z.string().min(1),
  subscribed: z.boolean().default(true),
  /** Returns the existing account with the same verify token, if there is one. */
  reuse: z.boolean().default(false),
});

const change = z
  .strictObject({
    callbackUrl: z.url({ protocol: /^https?$/ }),
    verifyToken: z.string().min(1),
    subscribed: z.boolean(),
    limits: z.array(z.enum(sandboxLimits)),
    throttleStatus: z.literal([400, 429]),
    refuseCode: z.int().min(0).nullable(),
  })
  .partial();

const createAccount: Handler = async (context, request) => {
  const { reuse, ...wishes } = await readControl(request, create);
  const account = (reuse ? await reopen(context, wishes) : undefined) ?? (await open(context, wishes));
  const { wabaId, phoneNumberId, accessToken, appId, appSecret } = account;
  const displayPhoneNumber = displayNumber(account.phoneNumber);
  const callbackVerified = await shakeHands(account);
  return { json: { wabaId, phoneNumberId, displayPhoneNumber, accessToken, appId, appSecret, callbackVerified } };
};

const showAccount: Handler = async (context, request) => ({ json: await present(context, find(context, request.params["wabaId"])) });

const changeAccount: Handler = async (context, request) => {
  const account = find(context, request.params["wabaId"]);
  const wishes = Object.fromEntries(Object.entries(await readControl(request, change)).filter(([, value]) => value !== undefined));
  const changed: SandboxAccount = { ...account, ...wishes };
  await context.accounts.change(changed);
  return { json: await present(context, changed) };
};

const handshakeTimeoutMs = 2_000;

/** Creates and changes accounts, as a person does in the platform's own pages. */
export const accountRoutes: Route[] = [
  ["POST", "/_sandbox/accounts", createAccount],
  ["GET", "/_sandbox/accounts/:wabaId", showAccount],
  ["PATCH", "/_sandbox/accounts/:wabaId", changeAccount],
  ["PUT", "/_sandbox/accounts/:wabaId", changeAccount],
];

type Wishes = Omit<z.output<typeof create>, "reuse">;

async function open(context: SandboxContext, wishes: Wishes): Promise<SandboxAccount> {
  const account = newAccount({ ...wishes, limits: context.options.limits });
  await context.accounts.add(account);
  await context.templates.save(sampleTemplate(account.wabaId, context.options.now()));
  return account;
}

async function reopen(context: SandboxContext, { verifyToken, callbackUrl }: Wishes): Promise<SandboxAccount | undefined> {
  const made = context.accounts.all().find((account) => account.verifyToken === verifyToken);
  if (made === undefined) return undefined;
  const account = { ...made, callbackUrl };
  await context.accounts.change(account);
  return account;
}

function find(context: SandboxContext, wabaId = ""): SandboxAccount {
  const account = context.accounts.find(wabaId);
  if (account === undefined) throw new ControlError(404, `No account ${wabaId}: make one with POST /_sandbox/accounts`);
  return account;
}

async function present(context: SandboxContext, account: SandboxAccount) {
  const { accessToken: _token, appSecret: _secret, verifyToken: _verifyToken, phoneNumber, ...shown } = account;
  return { ...shown, displayPhoneNumber: displayNumber(phoneNumber), pendingCallbacks: await countCallbacks(context.sql, account.wabaId) };
}

/** Verifies a callback address as the platform does: it must echo a challenge within `handshakeTimeoutMs`. Never throws. */
export async function shakeHands({ callbackUrl, verifyToken }: { callbackUrl: string; verifyToken: string }): Promise<boolean> {
  const challenge = String(randomInt(1_000_000_000, 2_000_000_000));
  const url = new URL(callbackUrl);
  url.searchParams.set("hub.mode", "subscribe");
  url.searchParams.set("hub.challenge", challenge);
  url.searchParams.set("hub.verify_token", verifyToken);
  const signal = AbortSignal.timeout(handshakeTimeoutMs);
  // The signal does not interrupt a connection that is still being made.
  return await Promise.race([echoes(url, challenge, signal), once(signal, "abort").then(() => false)]);
}

async function echoes(url: URL, challenge: string, signal: AbortSignal): Promise<boolean> {
  try {
    const answer = await request(url, { signal });
    return (await answer.body.text()) === challenge && answer.statusCode === 200;
  } catch {
    return false;
  }
}

/** Handles a management call of the account whose token the request carries. */
export type AccountHandler = (context: SandboxContext, request: SandboxRequest, account: SandboxAccount) => Answer | Promise<Answer>;

/** A management call on the business account in the path: checks the token first, then that the account is the token's own. */
export function onBusinessAccount(handle: AccountHandler): Handler {
  return onAnyNode(async (context, request, account) => {
    const { node = "" } = request.params;
    if (node !== account.wabaId) throw unknownObject(node, request.method);
    return handle(context, request, account);
  });
}

/** A management call whose node `handle` looks up. Its answer carries the usage header. */
export function onAnyNode(handle: AccountHandler): Handler {
  return async (context, request) => {
    const account = authenticate(context, request);
    const headers = context.limits.countCall(account, context.options.now());
    const answer = await handle(context, request, account);
    return typeof answer === "object" && "json" in answer ? { ...answer, headers } : answer;
  };
}

/** The account whose token the request carries. Throws a `GraphError`: 104 without a token, 190 with a wrong one. */
export function authenticate(context: SandboxContext, request: SandboxRequest): SandboxAccount {
  const token = tokenOf(request);
  const account = context.accounts.byToken(token);
  if (account === undefined) throw badToken();
  checkProof(request, token, account.appSecret);
  return account;
}

/** Like `authenticate`, but also accepts the app's token `APP_ID|APP_SECRET`. */
export function authenticateApp(context: SandboxContext, request: SandboxRequest): SandboxAccount {
  const token = tokenOf(request);
  const [appId = "", secret] = token.split("|", 2);
  if (secret === undefined) return authenticate(context, request);
  const account = context.accounts.byApp(appId);
  if (account?.appSecret !== secret) throw badToken();
  return account;
}

function tokenOf(request: SandboxRequest): string {
  const [scheme = "", token = ""] = (request.headers.authorization ?? "").trim().split(/\s+/, 2);
  // Upload calls use the scheme "OAuth" instead of "Bearer".
  const found = /^(bearer|oauth)$/i.test(scheme) ? token : request.query.get("access_token");
  if (found === null || found === "") throw refusal(104);
  return found;
}

/** The proof is optional, but a wrong one is refused. */
function checkProof(request: SandboxRequest, token: string, appSecret: string): void {
  const proof = request.query.get("appsecret_proof");
  if (proof !== null && proof !== createHmac("sha256", appSecret).update(token).digest("hex")) {
    throw invalidParameter("Invalid appsecret_proof provided in the API argument");
  }
}
