import { eventHeaders } from "shared/core/event";
import { parseJson } from "shared/core/json";
import { isUuid } from "shared/core/uuid";
import { isMoving } from "shared/db/account";
import { type CallbackAccountRow, findCallbackAccount } from "shared/db/platform-callback";
import type { Readiness } from "shared/db/readiness";
import { readDocsBundle } from "shared/docs/bundle";
import { bundleFileName, fillAddresses } from "shared/docs/topics";
import { isSameSecret, isSignature, verifyBody } from "shared/secrets/signature";
import { placeIn, readRecord } from "shared/secrets/vault";
import { version } from "shared/server/process";
import { receiveCallback } from "../callback/callback.ts";
import { type GatewayContext, step } from "../context.ts";
import { orRefuse, RequestRefused } from "../refusal.ts";
import { answerJson, type LoggedContext } from "./answer.ts";
import { type ReadBody, refuseDeclaredLength } from "./connection.ts";

export const docsPath = "/api/public/docs/bundle";

/** The largest callback that the platform sends. */
const maxCallbackBytes = 3 * 1024 * 1024;

/** The platform's verify handshake: echoes the challenge to a caller who knows the account's verify token. */
export async function answerHandshake(ctx: LoggedContext, named: string, context: GatewayContext): Promise<void> {
  const account = await findAccount(named, context);
  const query = new URLSearchParams(ctx.querystring);
  const expected = account && readRecord(context.vault, account.verify_token, placeIn("account.verify_token", account.id));
  const isRight = isSameSecret(query.get("hub.verify_token") ?? "", expected ?? "");
  if (!expected || !isRight || query.get("hub.mode") !== "subscribe") throw new RequestRefused("invalid_verify_token");
  ctx.status = 200;
  ctx.type = "text/plain; charset=utf-8";
  ctx.body = query.get("hub.challenge") ?? "";
}

/**
 * The platform's updates: signed over the raw bytes, recorded, and only then acknowledged. Nothing is read of a request without a signature, and nothing
 * kept of one for an account without a secret. An unknown account is answered like a wrong signature: nobody learns which accounts there are.
 */
export async function answerUpdates(ctx: LoggedContext, named: string, context: GatewayContext, readBody: ReadBody): Promise<void> {
  refuseDeclaredLength(ctx.req, maxCallbackBytes);
  const signature = ctx.get("x-hub-signature-256");
  if (!isSignature(signature)) throw new RequestRefused("invalid_signature");
  const account = await findAccount(named, context);
  const body = await readBody(ctx, maxCallbackBytes);
  const proven = account && provenAs(account, context.vault, (secret) => verifyBody([secret], body, signature));
  if (!proven) throw new RequestRefused("invalid_signature");
  if (isMoving(proven.data_key)) throw new RequestRefused("account_moving");
  ctx.state.details = await step(context, "callback", proven.id, async () =>
    receiveCallback(
      context,
      proven,
      orRefuse("malformed_json", () => parseJson(body.toString("utf8"))),
    ),
  );
  answerJson(ctx, 200, '{"ok":true}');
}

/** Whose callback it is: the account's by its own app's secret, or its test sites' by that of their app in the sandbox; null: nobody's. */
function provenAs(account: CallbackAccountRow, vault: GatewayContext["vault"], isProof: (secret: string) => boolean) {
  const { id, app_secret: own, test } = account;
  const [owned, tested] = [
    own && readRecord(vault, own, placeIn("platform_account.app_secret", id)),
    test && readRecord(vault, test.app_secret, placeIn("test_connection.app_secret", id)),
  ];
  if (owned && isProof(owned)) return account;
  return test && tested && isProof(tested)
    ? { ...account, waba_id: test.waba_id, phone_number_id: test.phone_number_id, isOfTests: true }
    : null;
}

/** The account in the path: alone, behind this cell, or behind one that it had before it moved here. */
async function findAccount(named: string, { sql, config }: GatewayContext): Promise<CallbackAccountRow | null> {
  const [accountId = "", cell, more] = named.split(".").toReversed();
  if (more !== undefined || !isUuid(accountId)) return null;
  const account = await findCallbackAccount(sql, accountId);
  return cell === undefined || cell === config.cell || account?.cells.includes(cell) ? account : null;
}

const allowedHeaders = Object.values(eventHeaders)
  .map(({ written }) => written)
  .join(", ");

/** The preflight of events: 204, without authentication, whatever the path values are. */
export function answerPreflight(ctx: LoggedContext): void {
  ctx.status = 204;
  ctx.set({
    "Access-Control-Allow-Methods": "POST, OPTIONS",
    "Access-Control-Allow-Headers": allowedHeaders,
    "Access-Control-Max-Age": "86400",
  });
}

/** 200 while the process lives; `degraded` says that events cannot be taken at the moment. */
export async function answerHealth(ctx: LoggedContext, readiness: Readiness): Promise<void> {
  const database = await readiness.database();
  const status = database === "ok" && !readiness.stopping ? "ok" : "degraded";
  answerState(ctx, { status, version, uptimeSeconds: Math.floor(process.uptime()), database, stopping: readiness.stopping });
}

/** 200 when events are taken; 503 when not, for a load balancer to look elsewhere. */
export async function answerReady(ctx: LoggedContext, readiness: Readiness): Promise<void> {
  if (readiness.stopping) throw new RequestRefused("stopping");
  if ((await readiness.database()) !== "ok") throw new RequestRefused("database_away");
  answerState(ctx, { status: "ready" });
}

function answerState(ctx: LoggedContext, state: object): void {
  ctx.set("Cache-Control", "no-store");
  answerJson(ctx, 200, JSON.stringify(state));
}

/** The developer documentation as one Markdown file, with the addresses that are known. */
export function answerDocs(ctx: LoggedContext, { publicGatewayUrl, publicAdminUrl }: GatewayContext["config"]): void {
  ctx.set("Content-Disposition", `attachment; filename="${bundleFileName}"`);
  ctx.type = "text/markdown; charset=utf-8";
  ctx.body = fillAddresses(readDocsBundle(), { gateway: publicGatewayUrl, admin: publicAdminUrl });
}

/** Leads visitors of the gateway's own address to the dashboard, if its address is known, and to the documentation. */
export function answerRoot(ctx: LoggedContext, { publicAdminUrl }: GatewayContext["config"]): void {
  ctx.vary("Accept");
  if (publicAdminUrl !== null && ctx.accepts("json", "html") === "html") return ctx.redirect(publicAdminUrl);
  answerJson(ctx, 200, JSON.stringify({ service: "tidings-gateway", dashboard: publicAdminUrl, docs: docsPath }));
}
