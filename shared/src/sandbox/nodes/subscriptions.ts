import { authenticateApp } from "../accounts/authenticate.ts";
import { shakeHands } from "../accounts/handshake.ts";
import { GraphError, invalidParameter, missingParameter, unknownObject } from "../errors/graph-error.ts";
import type { Handler } from "../http/answer.ts";
import { readJson } from "../http/read-json.ts";

/** `POST /{app id}/subscriptions`: sets the app's callback address, once that has echoed the challenge. Members in the body or the query. */
export const setSubscription: Handler = async (context, request) => {
  const account = authenticateApp(context, request);
  const { node = "" } = request.params;
  if (node !== account.appId) throw unknownObject(node, request.method);
  const given = { ...Object.fromEntries(request.query), ...(await readJson(request)) };
  const { object, callback_url: callbackUrl, verify_token: verifyToken } = given;
  if (object !== "whatsapp_business_account") throw invalidParameter("Param object must be one of {whatsapp_business_account}.");
  if (typeof callbackUrl !== "string" || !/^https?:/.test(callbackUrl) || !URL.canParse(callbackUrl))
    throw missingParameter("callback_url");
  if (typeof verifyToken !== "string") throw missingParameter("verify_token");
  if (!(await shakeHands({ callbackUrl, verifyToken }))) {
    throw new GraphError(400, { message: "(#2200) Callback verification failed: the address did not echo the challenge", code: 2200 });
  }
  await context.accounts.change({ ...account, callbackUrl, verifyToken });
  return { json: { success: true } };
};
