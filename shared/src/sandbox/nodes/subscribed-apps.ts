import { invalidParameter } from "../errors/graph-error.ts";
import type { AccountHandler } from "../http/account-handler.ts";
import { readJson } from "../http/read-json.ts";

/** `GET /{waba id}/subscribed_apps`. */
export const listSubscribedApps: AccountHandler = (_context, _request, account) => {
  const { appId, subscribed } = account;
  const app = { whatsapp_business_api_data: { id: appId, name: "Sandbox app", link: `https://www.facebook.com/games/?app_id=${appId}` } };
  return { json: { data: subscribed ? [app] : [] } };
};

/** `POST /{waba id}/subscribed_apps`: from here on the callback is told what happens. An address of its own needs a plain subscription first. */
export const subscribeApp: AccountHandler = async (context, request, account) => {
  const { override_callback_uri: address, verify_token: token } = await readJson(request);
  if (address === undefined) {
    await context.accounts.change({ ...account, subscribed: true });
    return { json: { success: true } };
  }
  if (!account.subscribed)
    throw invalidParameter("Before override the current callback uri, your app must be subscribed to receive messages");
  if (typeof address !== "string" || !URL.canParse(address) || typeof token !== "string") {
    throw invalidParameter("Params override_callback_uri and verify_token must be a URL and a string.");
  }
  await context.accounts.change({ ...account, callbackUrl: address, verifyToken: token });
  return { json: { success: true } };
};

/** `DELETE /{waba id}/subscribed_apps`: nothing is told any more. */
export const unsubscribeApp: AccountHandler = async (context, _request, account) => {
  await context.accounts.change({ ...account, subscribed: false });
  return { json: { success: true } };
};
