import { createHash, timingSafeEqual } from "node:crypto";
import type { Context, Middleware } from "koa";
import { parseJson, type JsonValue } from "shared/core/json";
import { isUuid } from "shared/core/uuid";
import { type CallbackAccountRow, findCallbackAccount } from "shared/db/platform-callback";
import type { Readiness } from "shared/db/readiness";
import { platformPlace, testConnectionPlace, verifyTokenPlace } from "shared/secrets/sealed-columns";
import { isSignature, verifyBody } from "shared/secrets/signature";
import { readRecord } from "shared/secrets/vault";
import { type CallbackSource, receiveCallback } from "../callback/callback.ts";
import type { GatewayConfig } from "../config.ts";
import { type GatewayContext, step } from "../context.ts";
import type { Ingest } from "../ingest/ingest.ts";
import { RequestRefused } from "../refusal.ts";
import { answerJson, type LoggedState } from "./answer.ts";
import { type Bodies, refuseDeclaredLength } from "./raw-body.ts";

const ingestForm = /^\/api\/public\/ingest\/([^/]+)\/([^/]+)$/;

/** `POST /api/public/ingest/{source}/{event}`: asked thousands of times a second, so it is matched before the router. */
export function createIngestRoute(
  { config, clock }: GatewayContext,
  ingest: Pick<Ingest, "handle">,
  readiness: Pick<Readiness, "stopping">,
  bodies: Bodies,
): Middleware<LoggedState> {
  return async (ctx, next) => {
    const [, source, event] = (ctx.method === "POST" && ingestForm.exec(ctx.path)) || [];
    if (source === undefined || event === undefined) return await next();
    if (readiness.stopping) throw new RequestRefused("stopping");
    refuseDeclaredLength(ctx.req, config.maxBodyBytes);
    const answer = await ingest.handle({
      headers: ctx.req.headers,
      source: decode(source),
      event: decode(event),
      receivedAt: clock.now(),
      readBody: () => bodies.read(ctx, config.maxBodyBytes),
      onStored: (id) => void (ctx.state.eventId = id),
    });
    ctx.state.eventId = answer.eventId;
    answerJson(ctx, answer.status, answer.body);
    if (answer.headers) ctx.set(answer.headers);
  };
}

function decode(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    throw new RequestRefused("bad_request", { cause: error });
  }
}

/** Shop systems post bodies up to this size, whatever the limit of events is. */
const maxShopBytes = 2 * 1024 * 1024;

/** Answers a request that a shop sends by itself. */
export async function answerShop(
  ctx: Context,
  { config, clock }: GatewayContext,
  ingest: Pick<Ingest, "handleShop">,
  readiness: Pick<Readiness, "stopping">,
  bodies: Bodies,
): Promise<void> {
  if (readiness.stopping) throw new RequestRefused("stopping");
  const maxBytes = Math.max(config.maxBodyBytes, maxShopBytes);
  const answer = await ingest.handleShop({
    headers: ctx.req.headers,
    token: ctx.path.slice(ctx.path.lastIndexOf("/") + 1),
    receivedAt: clock.now(),
    readBody: async () => {
      // The length is judged only after the address is known.
      refuseDeclaredLength(ctx.req, maxBytes);
      return await bodies.read(ctx, maxBytes);
    },
    onStored: (id) => void (ctx.state["eventId"] = id),
  });
  ctx.state["eventId"] = answer.eventId;
  answerJson(ctx, answer.status, answer.body);
  if (answer.headers) ctx.set(answer.headers);
}

/** The largest callback that the platform sends. */
const maxCallbackBytes = 3 * 1024 * 1024;

/** The platform's verify handshake: echoes the challenge to a caller who knows the account's verify token. */
export async function answerHandshake(ctx: Context, context: GatewayContext): Promise<void> {
  const account = await findAccount(ctx, context);
  const challenge = queryValue(ctx, "hub.challenge");
  const expected = account && readRecord(context.vault, account.verify_token, verifyTokenPlace(account.id));
  const isRight = isSame(queryValue(ctx, "hub.verify_token"), expected ?? "");
  if (!expected || !isRight || queryValue(ctx, "hub.mode") !== "subscribe") {
    throw new RequestRefused("invalid_verify_token");
  }
  ctx.status = 200;
  ctx.type = "text/plain; charset=utf-8";
  ctx.body = challenge;
}

/**
 * The platform's updates: signed over the raw bytes, recorded, and only then acknowledged. Nothing is read of a request without a signature, and nothing
 * kept of one for an account without a secret. An unknown account is answered like a wrong signature: nobody learns which accounts there are.
 */
export async function answerUpdates(
  ctx: Context,
  context: GatewayContext,
  readiness: Pick<Readiness, "stopping">,
  bodies: Bodies,
): Promise<void> {
  if (readiness.stopping) throw new RequestRefused("stopping");
  refuseDeclaredLength(ctx.req, maxCallbackBytes);
  const signature = ctx.get("x-hub-signature-256");
  if (!isSignature(signature)) throw new RequestRefused("invalid_signature");
  const account = await findAccount(ctx, context);
  const body = await bodies.read(ctx, maxCallbackBytes);
  const proven = account && provenAs(account, context.vault, (secret) => verifyBody([secret], body, signature));
  if (!proven) throw new RequestRefused("invalid_signature");
  ctx.state["details"] = await step(context, "callback", proven.id, async () => receiveCallback(context, proven, parse(body)));
  answerJson(ctx, 200, '{"ok":true}');
}

/** Whose callback it is: the account's by its own app's secret, or its test sites' by that of their app in the sandbox; null: nobody's. */
function provenAs(
  account: CallbackAccountRow,
  vault: GatewayContext["vault"],
  isProof: (secret: string) => boolean,
): CallbackSource | null {
  const { id, app_secret: own, test } = account;
  const [owned, tested] = [
    own && readRecord(vault, own, platformPlace(id, "app_secret")),
    test && readRecord(vault, test.app_secret, testConnectionPlace(id, "app_secret")),
  ];
  if (owned && isProof(owned)) return account;
  return test && tested && isProof(tested)
    ? { ...account, waba_id: test.waba_id, phone_number_id: test.phone_number_id, isOfTests: true }
    : null;
}

async function findAccount(ctx: Context, { sql }: GatewayContext): Promise<CallbackAccountRow | null> {
  const accountId = ctx.path.split("/").at(-1) ?? "";
  return isUuid(accountId) ? await findCallbackAccount(sql, accountId) : null;
}

function parse(body: Buffer): JsonValue {
  try {
    return parseJson(body.toString("utf8"));
  } catch (error) {
    throw new RequestRefused("malformed_json", { cause: error });
  }
}

function queryValue(ctx: Context, name: string): string {
  const value = ctx.query[name];
  return (Array.isArray(value) ? value[0] : value) ?? "";
}

/** Compares in constant time: digests have the same length for texts of any length. */
const isSame = (given: string, expected: string): boolean => timingSafeEqual(sha256(given), sha256(expected));

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();

const docsPath = "/api/public/docs/bundle";

/** Leads visitors of the gateway's own address to the dashboard, if its address is known, and to the documentation: browsers by a page, programs by JSON. */
export function answerRoot(ctx: Context, { publicAdminUrl }: Pick<GatewayConfig, "publicAdminUrl">): void {
  if (ctx.method !== "GET" && ctx.method !== "HEAD") {
    ctx.set("Allow", "GET, HEAD");
    throw new RequestRefused("method_not_allowed");
  }
  ctx.vary("Accept");
  if (ctx.accepts("json", "html") !== "html")
    return answerJson(ctx, 200, JSON.stringify({ service: "tidings-gateway", dashboard: publicAdminUrl, docs: docsPath }));
  ctx.set("Content-Security-Policy", `default-src 'none'; style-src 'sha256-${styleDigest}'; frame-ancestors 'none'; base-uri 'none'`);
  ctx.status = 200;
  ctx.type = "text/html; charset=utf-8";
  ctx.body = pageOf(publicAdminUrl);
}

const style = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{max-width:36rem;margin:15vh auto;padding:0 1.5rem}
a{color:light-dark(#0b7285,#66d9e8)}`;
const styleDigest = createHash("sha256").update(style).digest("base64");

const pageOf = (dashboard: string | null): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Tidings gateway</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Tidings gateway</h1>
<p>Backends post their events here. There is nothing to see: what happens to the events is shown in the dashboard.</p>
<ul>
${dashboard === null ? "" : `<li><a href="${escape(dashboard)}">Open the dashboard</a></li>\n`}<li><a href="${docsPath}">Developer documentation</a> (Markdown)</li>
</ul>
</main>
</body>
</html>
`;

const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
