import { webhookFields } from "../../core/connection-check.ts";
import { shakeHands } from "../account-calls.ts";
import { isBlocked } from "../account-state.ts";
import { displayNumber } from "../accounts.ts";
import { errorTexts, missingParameter, unknownObject, invalidParameter, GraphError } from "../graph-error.ts";
import {
  type Answer,
  type SandboxContext,
  type SandboxRequest,
  authenticateApp,
  isObject,
  readJson,
  selectFields,
  success,
} from "../http.ts";
import { deleteSandboxMedia, type SandboxAccount } from "../store.ts";
import { editTemplate } from "../templates/calls.ts";
import { defaultTemplateFields, templateFields } from "../templates/store.ts";
import { mediaNode, receiveUpload } from "./files.ts";
import fixed from "./fixed.json" with { type: "json" };
import { changeState, isPin } from "./number-calls.ts";

const tokenScopes = ["whatsapp_business_management", "whatsapp_business_messaging"];

/** `GET /debug_token`: the rights of a token. Takes that token or the app's. */
export function debugToken(context: SandboxContext, request: SandboxRequest): Answer {
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
        ...fixed.token,
        app_id: account.appId,
        scopes: tokenScopes,
        granular_scopes: tokenScopes.map((scope) => ({ scope, target_ids: [account.wabaId] })),
        user_id: `${account.appId}1`,
      },
    },
  };
}

/** `GET /{id}` of a phone number, a business account, a template or an uploaded file. */
export async function readNode(context: SandboxContext, request: SandboxRequest, account: SandboxAccount): Promise<Answer> {
  const { node = "" } = request.params;
  const fields = request.query.get("fields");
  const now = context.options.now();
  if (node === account.phoneNumberId) return { json: phoneNumberNode(account, fields, now) };
  if (node === account.wabaId) return { json: businessAccountNode(account, fields, now) };
  const record = context.templates.byId(node);
  const media = record === undefined ? await mediaNode(context, account, node) : undefined;
  if (media !== undefined) return { json: media };
  if (record?.wabaId !== account.wabaId) throw unknownObject(node, request.method);
  const all = { ...templateFields(record), health_status: healthStatus(account, now) };
  return { json: selectFields(all, defaultTemplateFields, fields, "WhatsAppMessageTemplate") };
}

/** `GET /{waba id}/phone_numbers`. */
export const listPhoneNumbers = ({ options }: SandboxContext, request: SandboxRequest, account: SandboxAccount): Answer => ({
  json: {
    data: [phoneNumberNode(account, request.query.get("fields"), options.now())],
    paging: { cursors: { before: "MA", after: "MA" } },
  },
});

const businessAccountFields = ["id", "name", "timezone_id", "message_template_namespace"];

function businessAccountNode(account: SandboxAccount, fields: string | null, now: number): Record<string, unknown> {
  const all = {
    ...fixed.businessAccount,
    id: account.wabaId,
    name: account.name,
    message_template_namespace: `sandbox_${account.wabaId}`,
    health_status: healthStatus(account, now),
    disable_marketing_messages_on_cloud_api: !account.state.marketingOnMessages,
    marketing_messages_onboarding_status: account.state.marketingMessages ? "ONBOARDED" : "ELIGIBLE",
  };
  return selectFields(all, businessAccountFields, fields, "WhatsAppBusinessAccount");
}

const phoneNumberFields = ["id", "display_phone_number", "verified_name", "quality_rating"];

function phoneNumberNode(account: SandboxAccount, fields: string | null, now: number): Record<string, unknown> {
  const { quality, nameStatus, registered, throughput, limit, overrides } = account.state;
  const { phone_number, whatsapp_business_account } = overrides;
  const all = {
    ...fixed.phoneNumber,
    id: account.phoneNumberId,
    display_phone_number: displayNumber(account.phoneNumber),
    verified_name: account.name,
    quality_rating: quality,
    name_status: nameStatus,
    status: registered ? "CONNECTED" : "DISCONNECTED",
    throughput: { level: throughput },
    whatsapp_business_manager_messaging_limit: limit,
    health_status: healthStatus(account, now),
    webhook_configuration: {
      application: account.callbackUrl,
      ...(typeof whatsapp_business_account === "string" && { whatsapp_business_account }),
      ...(typeof phone_number === "string" && { phone_number }),
    },
  };
  return selectFields(all, phoneNumberFields, fields, "WhatsAppBusinessPhoneNumber");
}

function healthStatus({ refuseCode, phoneNumberId, wabaId, appId, state }: SandboxAccount, now: number) {
  const code = refuseCode ?? (isBlocked(state, now) ? 131031 : null);
  const can = code === null ? "AVAILABLE" : "BLOCKED";
  const errors = code === null ? {} : { errors: [describe(code)] };
  const limited = state.canSend === "LIMITED" ? { can_send_message: "LIMITED", additional_info: [nameNotApproved] } : undefined;
  return {
    can_send_message: code === null ? (limited?.can_send_message ?? can) : can,
    entities: [
      { entity_type: "PHONE_NUMBER", id: phoneNumberId, can_send_message: "AVAILABLE", ...limited },
      { entity_type: "WABA", id: wabaId, can_send_message: can, ...errors },
      { entity_type: "BUSINESS", id: `${wabaId}0`, can_send_message: "AVAILABLE" },
      { entity_type: "APP", id: appId, can_send_message: "AVAILABLE" },
    ],
  };
}

const nameNotApproved = "Your display name has not been approved yet. Your message limit will increase after the display name is approved.";

function describe(code: number) {
  const text = errorTexts[code];
  return {
    error_code: code,
    error_description: text?.details ?? text?.title ?? "Messages are refused.",
    possible_solution: "Set refuseCode of the sandbox account to null, or lift its restriction.",
  };
}

/** `GET /{waba id}/subscribed_apps`. */
export function listSubscribedApps(_context: SandboxContext, _request: SandboxRequest, account: SandboxAccount): Answer {
  const { appId, subscribed, state } = account;
  const override = state.overrides.whatsapp_business_account;
  const app = {
    whatsapp_business_api_data: { id: appId, name: "Sandbox app", link: `https://www.facebook.com/games/?app_id=${appId}` },
    ...(typeof override === "string" && { override_callback_uri: override }),
  };
  return { json: { data: subscribed ? [app] : [] } };
}

/** `POST /{waba id}/subscribed_apps`: starts callbacks. An address of the account's own needs a plain subscription first, and ends with another one. */
export async function subscribeApp(context: SandboxContext, request: SandboxRequest, account: SandboxAccount): Promise<Answer> {
  const { override_callback_uri: address, verify_token: token } = await readJson(request);
  const override = (url: string | null) => ({ overrides: { ...account.state.overrides, whatsapp_business_account: url } });
  if (address === undefined) return changeState(context, { ...account, subscribed: true }, override(null));
  if (!account.subscribed)
    throw invalidParameter("Before override the current callback uri, your app must be subscribed to receive messages");
  if (typeof address !== "string" || !URL.canParse(address) || typeof token !== "string")
    throw invalidParameter("Params override_callback_uri and verify_token must be a URL and a string.");
  return changeState(context, account, override(address));
}

/** `DELETE /{waba id}/subscribed_apps`: stops callbacks. */
export async function unsubscribeApp(context: SandboxContext, _request: SandboxRequest, account: SandboxAccount): Promise<Answer> {
  await context.accounts.change({ ...account, subscribed: false });
  return success;
}

/** `GET /{app id}/subscriptions`: the fields that the app is subscribed to, and its callback address. */
export function listSubscriptions(_context: SandboxContext, _request: SandboxRequest, account: SandboxAccount): Answer {
  const fields = (account.state.fields ?? webhookFields).map((name) => ({ name, version: "v25.0" }));
  return { json: { data: [{ object: "whatsapp_business_account", callback_url: account.callbackUrl, active: true, fields }] } };
}

/** `POST /{app id}/subscriptions`: sets the app's callback address if it echoes the challenge. Parameters come in the body or the query. */
export async function setSubscription(context: SandboxContext, request: SandboxRequest, account: SandboxAccount): Promise<Answer> {
  const { object, callback_url: callbackUrl, verify_token: verifyToken } = await readJson(request);
  if (object !== "whatsapp_business_account") throw invalidParameter("Param object must be one of {whatsapp_business_account}.");
  if (typeof callbackUrl !== "string" || !/^https?:/.test(callbackUrl) || !URL.canParse(callbackUrl))
    throw missingParameter("callback_url");
  if (typeof verifyToken !== "string") throw missingParameter("verify_token");
  if (!(await shakeHands({ callbackUrl, verifyToken })))
    throw new GraphError(400, { message: "(#2200) Callback verification failed: the address did not echo the challenge", code: 2200 });
  await context.accounts.change({ ...account, callbackUrl, verifyToken });
  return success;
}

/** `POST /{id}`: edits a template, changes the account or its number, or takes the bytes of an upload session. */
export async function writeNode(context: SandboxContext, request: SandboxRequest, account: SandboxAccount): Promise<Answer> {
  const { node = "" } = request.params;
  if (node.startsWith("upload:")) return receiveUpload(request, node);
  if (node === account.wabaId) return writeBusinessAccount(context, request, account);
  if (node === account.phoneNumberId) return writePhoneNumber(context, request, account);
  const record = context.templates.byId(node);
  if (record?.wabaId !== account.wabaId) throw unknownObject(node, request.method);
  return editTemplate(context, request, record);
}

async function writeBusinessAccount(context: SandboxContext, request: SandboxRequest, account: SandboxAccount): Promise<Answer> {
  const { disable_marketing_messages_on_cloud_api: disabled } = await readJson(request);
  if (typeof disabled !== "boolean") throw missingParameter("disable_marketing_messages_on_cloud_api");
  return changeState(context, account, { marketingOnMessages: !disabled });
}

/** Sets the number's own address for `messages`, an empty one ends it; or its PIN, which is not kept. */
async function writePhoneNumber(context: SandboxContext, request: SandboxRequest, account: SandboxAccount): Promise<Answer> {
  const { webhook_configuration: webhook, pin } = await readJson(request);
  const address = isObject(webhook) ? webhook["override_callback_uri"] : undefined;
  if (address === undefined && !isPin(pin)) throw missingParameter("webhook_configuration");
  if (address !== undefined && address !== "" && (typeof address !== "string" || !URL.canParse(address)))
    throw invalidParameter("Param override_callback_uri must be a URL.");
  if (address === undefined) return success;
  return changeState(context, account, { overrides: { ...account.state.overrides, phone_number: address === "" ? null : address } });
}

/** `DELETE /{media id}`. */
export async function deleteNode({ sql }: SandboxContext, request: SandboxRequest, account: SandboxAccount): Promise<Answer> {
  const { node = "" } = request.params;
  if (!(await deleteSandboxMedia(sql, account.wabaId, node))) throw unknownObject(node, request.method);
  return success;
}
