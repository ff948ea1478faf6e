import { createHmac } from "node:crypto";
import type { SandboxContext } from "./context.ts";
import { badToken, invalidParameter, refusal, unknownObject } from "./graph-error.ts";
import type { Answer, Handler, SandboxRequest } from "./http.ts";
import type { SandboxAccount } from "./store.ts";

/** Handles a management call of the account whose token the request carries. */
export type AccountHandler = (context: SandboxContext, request: SandboxRequest, account: SandboxAccount) => Answer | Promise<Answer>;

/** A management call on the business account in the path: checks the token first, then that the account is the token's own. */
export const onBusinessAccount = (handle: AccountHandler): Handler => onOwn("wabaId", handle);

/** The same on the phone number in the path. */
export const onPhoneNumber = (handle: AccountHandler): Handler => onOwn("phoneNumberId", handle);

const onOwn = (id: "wabaId" | "phoneNumberId", handle: AccountHandler): Handler =>
  onAnyNode((context, request, account) => {
    requireNode(request, account[id]);
    return handle(context, request, account);
  });

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

/** The same of a call on the app in the path. */
export function authenticateAppNode(context: SandboxContext, request: SandboxRequest): SandboxAccount {
  const account = authenticateApp(context, request);
  requireNode(request, account.appId);
  return account;
}

export function requireNode({ params: { node = "" }, method }: SandboxRequest, own: string): void {
  if (node !== own) throw unknownObject(node, method);
}

/** The access token that the request carries. Throws a `GraphError` without one. */
export function tokenOf(request: SandboxRequest): string {
  const [scheme = "", token = ""] = (request.headers.authorization ?? "").trim().split(/\s+/, 2);
  // Upload calls use the scheme "OAuth" instead of "Bearer".
  const found = /^(bearer|oauth)$/i.test(scheme) ? token : request.query.get("access_token");
  if (found === null || found === "") throw refusal(104);
  return found;
}

/** Checks the proof, which is optional, but must be right. */
function checkProof(request: SandboxRequest, token: string, appSecret: string): void {
  const proof = request.query.get("appsecret_proof");
  if (proof !== null && proof !== createHmac("sha256", appSecret).update(token).digest("hex")) {
    throw invalidParameter("Invalid appsecret_proof provided in the API argument");
  }
}
