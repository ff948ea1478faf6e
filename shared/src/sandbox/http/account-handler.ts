import type { SandboxAccount } from "../../db/tables/sandbox/account.ts";
import { authenticate } from "../accounts/authenticate.ts";
import type { SandboxContext } from "../context.ts";
import { unknownObject } from "../errors/graph-error.ts";
import type { Answer, Handler, SandboxRequest } from "./answer.ts";

/** Answers a management call of an account that its token opened. */
export type AccountHandler = (context: SandboxContext, request: SandboxRequest, account: SandboxAccount) => Answer | Promise<Answer>;

/** A management call on the business account that the path's `node` names: token first, then whether the node is the token's own. */
export function onBusinessAccount(handle: AccountHandler): Handler {
  return onAnyNode(async (context, request, account) => {
    const { node = "" } = request.params;
    if (node !== account.wabaId) throw unknownObject(node, request.method);
    return handle(context, request, account);
  });
}

/** A management call whose node `handle` looks up itself. Answers carry the usage header. */
export function onAnyNode(handle: AccountHandler): Handler {
  return async (context, request) => {
    const account = authenticate(context, request);
    const headers = context.limits.countCall(account, context.options.now());
    const answer = await handle(context, request, account);
    return typeof answer === "object" && "json" in answer ? { ...answer, headers } : answer;
  };
}
