import type { BlockList } from "node:net";
import { nextTry } from "shared/core/webhook";
import type { Attempt, TakenDelivery } from "shared/db/webhook/take";
import { createGuardedPost, type PostAnswer, RequestFailed } from "shared/guarded-request";
import { bodyOf } from "shared/sealing/delivery-body";
import type { RowCodec } from "shared/secrets/row-codec";
import { signBody, signStandard } from "shared/secrets/signature";

/** Posts one delivery once. Never throws. */
export interface Post extends AsyncDisposable {
  (delivery: TakenDelivery, endpoint: OpenEndpoint): Promise<Attempt>;
}

/** An endpoint, and what its requests are signed and its rows are read with. */
export interface OpenEndpoint {
  id: string;
  url: string;
  /** That of now first. */
  secrets: readonly string[];
  rows: RowCodec;
}

export interface PostOptions {
  /** Private networks that endpoints may stand in, also by http. */
  allowed: BlockList | null;
  /** For the whole attempt. */
  attemptMs: number;
  /** 1 but in tests: shortens the waits between attempts. */
  scale: number;
}

/** Of an answer, for the log. */
const keptBytes = 4096;
const gone = 410;

export function createPost({ allowed, attemptMs, scale }: PostOptions): Post {
  const send = createGuardedPost(allowed);
  const limits = { maxBytes: keptBytes, timeoutMs: attemptMs };

  const attempt = async (delivery: TakenDelivery, { url, secrets, rows }: OpenEndpoint, at: Date): Promise<Outcome> => {
    const body = bodyOf(delivery, rows);
    if (body === null) return { error: "unreadable", isOver: true, asked: false };
    if (secrets.length === 0) return { error: "no_secret", asked: false };
    try {
      return judge(await send(url, { headers: headersOf(delivery.id, at, secrets, body), body }, limits));
    } catch (error) {
      return { error: reasonOf(error) };
    }
  };

  const post = async (delivery: TakenDelivery, endpoint: OpenEndpoint): Promise<Attempt> => {
    const at = new Date();
    const { error, code = null, isOver = false, asked = true, retryAfter = null, text = null } = await attempt(delivery, endpoint, at);
    const again = error === null || isOver ? null : nextTry(delivery.failures + 1, retryAfter, Math.random());
    return {
      id: delivery.id,
      webhook_id: endpoint.id,
      at: at.toISOString(),
      ms: Date.now() - at.getTime(),
      status_code: code,
      error,
      again: again && again * scale,
      answer: endpoint.rows.seal(text, "webhook_delivery.answer", delivery.id),
      gone: code === gone,
      asked,
    };
  };
  return Object.assign(post, { [Symbol.asyncDispose]: () => send[Symbol.asyncDispose]() });
}

interface Outcome {
  /** A code; null: it has arrived. */
  error: string | null;
  code?: number;
  /** Another attempt would come to the same. */
  isOver?: boolean;
  /** False: the endpoint knows nothing of it. */
  asked?: boolean;
  /** Seconds that the endpoint asks for. */
  retryAfter?: number | null;
  /** What the log keeps of the answer. */
  text?: string;
}

function judge({ statusCode: code, headers, bytes, isCut }: PostAnswer): Outcome {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`);
  const body = bytes.toString("utf8").replaceAll("\0", "\uFFFD");
  return {
    code,
    error: code >= 200 && code < 300 ? null : code >= 300 && code < 400 ? "redirect" : "refused",
    isOver: code === gone,
    retryAfter: secondsOf(headers["retry-after"]),
    text: JSON.stringify({ head: head.join("\n").slice(0, keptBytes), body, isCut }),
  };
}

/** Signed as inbound requests are, and as Standard Webhooks say; an old secret that still counts signs too where several signatures may stand. */
function headersOf(id: string, now: Date, secrets: readonly string[], body: string): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const bytes = Buffer.from(body);
  return {
    "content-type": "application/json",
    "user-agent": "Tidings",
    "x-service-signature": signBody(secrets[0] ?? "", bytes),
    "x-service-timestamp": timestamp,
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": secrets.map((secret) => signStandard(secret, { id, timestamp }, bytes)).join(" "),
  };
}

/** Seconds, or the time until a date. */
function secondsOf(header: string | string[] | undefined): number | null {
  if (typeof header !== "string") return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, (at - Date.now()) / 1000);
}

/** Why no answer came, as a code for the log. */
function reasonOf(error: unknown): string {
  if (!(error instanceof RequestFailed)) return "unreachable";
  if (error.fault !== "unreachable") return error.fault;
  if (error.message === "ENOTFOUND" || error.message === "EAI_AGAIN") return "unknown_host";
  return /^(?:ERR_TLS|ERR_SSL|CERT|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO)/.test(error.message) ? "bad_certificate" : "unreachable";
}
