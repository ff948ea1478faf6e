import type { IncomingMessage, ServerResponse } from "node:http";
import getRawBody from "raw-body";
import { Refusal } from "../refusal.ts";
import type { TimeLimits } from "../time-limits.ts";

export interface Exchange {
  req: IncomingMessage;
  res: ServerResponse;
}

type BodyLimits = Pick<TimeLimits, "bodyIdleMs" | "bodyMs">;

/** The client went away before its body was complete: there is nobody to answer. */
export class ClientGone extends Error {
  override readonly name = "ClientGone";
}

/** Requests whose body cannot be read any further, and why; and the readers that wait for one. */
const broken = new WeakMap<IncomingMessage, Refusal>();
const waiting = new WeakMap<IncomingMessage, (refusal: Refusal) => void>();

/** Throws `body_too_large` when the request announces more than `maxBytes`. */
export const refuseDeclaredLength = (req: IncomingMessage, maxBytes: number): void => {
  if (Number(req.headers["content-length"] ?? 0) > maxBytes) throw new Refusal("body_too_large");
};

/**
 * The body's exact bytes; asks for them when the client waits to be asked. Throws `body_too_large` as soon as more than `maxBytes` have
 * come, `request_timeout` when they come too slowly, `bad_request` when they are not framed as HTTP says, `ClientGone` when they end early.
 */
export const readRawBody = async ({ req, res }: Exchange, maxBytes: number, limits: BodyLimits): Promise<Buffer> => {
  const known = broken.get(req);
  if (known !== undefined) throw known;
  if (req.headers.expect !== undefined) res.writeContinue();
  const interruption = interrupt(req, limits);
  try {
    return await Promise.race([getRawBody(req, { limit: maxBytes }), interruption.promise]);
  } catch (error) {
    throw translate(error);
  } finally {
    interruption.release();
  }
};

/** Says that the rest of the request's body will never come. A reader that waits for it gets `refusal`, as does one that comes later. */
export const breakBody = (req: IncomingMessage, refusal: Refusal): void => {
  broken.set(req, refusal);
  waiting.get(req)?.(refusal);
};

export const isBodyBroken = (req: IncomingMessage): boolean => broken.has(req);

/** Rejects when the body stalls, takes too long as a whole, or breaks. */
const interrupt = (req: IncomingMessage, limits: BodyLimits): { promise: Promise<never>; release: () => void } => {
  const deadline = performance.now() + limits.bodyMs;
  let release = (): void => undefined;
  const promise = new Promise<never>((_, reject) => {
    const timeOut = (): void => breakBody(req, new Refusal("request_timeout"));
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
};

const translate = (error: unknown): unknown => {
  if (error instanceof Refusal) return error;
  if (error instanceof Error && "type" in error && error.type === "entity.too.large") return new Refusal("body_too_large");
  return new ClientGone("The client closed the connection before its request was complete.", { cause: error });
};
