import { createHmac } from "node:crypto";
import type { SandboxAccount } from "../../db/tables/sandbox/account.ts";
import type { SandboxContext } from "../context.ts";
import { badToken, invalidParameter, refusal } from "../errors/graph-error.ts";
import type { SandboxRequest } from "../http/answer.ts";

/** The account whose token the request carries. Throws a `GraphError`: 104 without a token, 190 with a wrong one. */
export function authenticate(context: SandboxContext, request: SandboxRequest): SandboxAccount {
  const token = tokenOf(request);
  const account = context.accounts.byToken(token);
  if (account === undefined) throw badToken();
  checkProof(request, token, account.appSecret);
  return account;
}

/** As `authenticate`, and takes the app's own token `APP_ID|APP_SECRET` too. */
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
  // Uploads say "OAuth" where everything else says "Bearer".
  const found = /^(bearer|oauth)$/i.test(scheme) ? token : request.query.get("access_token");
  if (found === null || found === "") throw refusal(104);
  return found;
}

// Optional; but one that is sent must be right.
function checkProof(request: SandboxRequest, token: string, appSecret: string): void {
  const proof = request.query.get("appsecret_proof");
  if (proof !== null && proof !== createHmac("sha256", appSecret).update(token).digest("hex")) {
    throw invalidParameter("Invalid appsecret_proof provided in the API argument");
  }
}
