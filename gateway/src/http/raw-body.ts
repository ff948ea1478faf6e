import type { IncomingMessage, ServerResponse } from "node:http";
import getRawBody from "raw-body";
import { RequestRefused } from "../refusal.ts";
import type { TimeLimits } from "../time-limits.ts";

export interface Exchange {
  req: IncomingMessage;
  res: ServerResponse;
}

type BodyLimits = Pick<TimeLimits, "bodyIdleMs" | "bodyMs">;

/** The client went away before its body was complete: nobody is left to answer. */
export class ClientGone extends Error {
  override readonly name = "ClientGone";
}

/** Requests whose body cannot be read any further, and why. */
const broken = new WeakMap<IncomingMessage, RequestRefused>();
/** Rejects the reader that waits for a request's body. */
const waiting = new WeakMap<IncomingMessage, (refusal: RequestRefused) => void>();

/** Throws `body_too_large` when the request announces more than `maxBytes`. */
export function refuseDeclaredLength(req: IncomingMessage, maxBytes: number): void {
  if (Number(req.headers["content-length"] ?? 0) > maxBytes) throw new RequestRefused("body_too_large");
}

/**
 * The body's exact bytes; sends `100 Continue` first when the client waits for it. Throws `body_too_large` as soon as more than `maxBytes` have
 * come, `request_timeout` when they come too slowly, `bad_request` when they are not framed as HTTP says, `ClientGone` when they end early.
 */
export const readRawBody = async (exchange: Exchange, maxBytes: number, limits: BodyLimits): Promise<Buffer> =>
  readWithin(exchange, limits, async () => getRawBody(exchange.req, { limit: maxBytes }));

/** Like `readRawBody`, but keeps nothing of the body. */
export const dropRawBody = async (exchange: Exchange, maxBytes: number, limits: BodyLimits): Promise<void> =>
  readWithin(exchange, limits, async () => drop(exchange.req, maxBytes));

const drop = async (req: IncomingMessage, maxBytes: number): Promise<void> =>
  new Promise((resolve, reject) => {
    let bytes = 0;
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes <= maxBytes) return;
      req.off("data", onData).pause();
      reject(new RequestRefused("body_too_large"));
    };
    req.on("data", onData).once("end", resolve).once("error", reject).once("close", reject);
  });

async function readWithin<T>({ req, res }: Exchange, limits: BodyLimits, read: () => Promise<T>): Promise<T> {
  const known = broken.get(req);
  if (known !== undefined) throw known;
  if (req.headers.expect !== undefined) res.writeContinue();
  const interruption = interrupt(req, limits);
  try {
    return await Promise.race([read(), interruption.promise]);
  } catch (error) {
    throw translate(error);
  } finally {
    interruption.release();
  }
}

/** Marks the rest of the request's body as lost: readers, present and later, fail with `refusal`. */
export function breakBody(req: IncomingMessage, refusal: RequestRefused): void {
  broken.set(req, refusal);
  waiting.get(req)?.(refusal);
}

export const isBodyBroken = (req: IncomingMessage): boolean => broken.has(req);

/** Rejects when the body stalls, takes too long as a whole, or breaks. */
function interrupt(req: IncomingMessage, limits: BodyLimits): { promise: Promise<never>; release: () => void } {
  const deadline = performance.now() + limits.bodyMs;
  let release = (): void => undefined;
  const promise = new Promise<never>((_, reject) => {
    const timeOut = (): void => breakBody(req, new RequestRefused("request_timeout"));
    const timer = setTimeout(timeOut, limits.bodyIdleMs);
    const onData = (): void => {
      if (performance.now() > deadline) timeOut();
      else timer.refresh();
    };
    req.on("data", onData);
    waiting.set(req, reject);
    release = () => {
      clearTimeout(timer);
      req.off("data", onData);
      waiting.delete(req);
    };
  });
  return { promise, release };
}

function translate(error: unknown): unknown {
  if (error instanceof RequestRefused) return error;
  if (error instanceof Error && "type" in error && error.type === "entity.too.large") return new RequestRefused("body_too_large");
  return new ClientGone("The client closed the connection before its request was complete.", { cause: error });
}
