import { authenticateApp } from "../accounts/authenticate.ts";
import { missingParameter } from "../errors/graph-error.ts";
import type { Handler } from "../http/answer.ts";

const SCOPES = ["whatsapp_business_management", "whatsapp_business_messaging"];

/** `GET /debug_token`: what a token may do. Asked with the token itself or the app's. */
export const debugToken: Handler = (context, request) => {
  const asking = authenticateApp(context, request);
  const token = request.query.get("input_token");
  if (token === null || token === "") throw missingParameter("input_token");
  const account = context.accounts.byToken(token);
  if (account?.appId !== asking.appId) {
    const error = { code: 190, message: "Invalid OAuth access token - Cannot parse access token" };
    return { json: { data: { error, is_valid: false, scopes: [] } } };
  }
  return {
    json: {
      data: {
        app_id: account.appId,
        type: "SYSTEM_USER",
        application: "Sandbox app",
        data_access_expires_at: 0,
        expires_at: 0,
        is_valid: true,
        scopes: SCOPES,
        granular_scopes: SCOPES.map((scope) => ({ scope, target_ids: [account.wabaId] })),
        user_id: `${account.appId}1`,
      },
    },
  };
};
