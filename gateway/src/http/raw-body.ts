import type { IncomingMessage, ServerResponse } from "node:http";
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

/** Throws `body_too_large` when the request announces more than `maxBytes`. */
export function refuseDeclaredLength(req: IncomingMessage, maxBytes: number): void {
  if (Number(req.headers["content-length"] ?? 0) > maxBytes) throw new RequestRefused("body_too_large");
}

/**
 * The body's exact bytes; sends `100 Continue` first when the client waits for it. Throws `body_too_large` as soon as more than `maxBytes` have
 * come, `request_timeout` when they come too slowly, `bad_request` when they are not framed as HTTP says, `ClientGone` when they end early.
 */
export async function readRawBody(exchange: Exchange, maxBytes: number, limits: BodyLimits): Promise<Buffer> {
  const pieces: Buffer[] = [];
  await receive(exchange, maxBytes, limits, (piece) => pieces.push(piece));
  return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
}

/** Like `readRawBody`, but keeps nothing of the body. */
export const dropRawBody = (exchange: Exchange, maxBytes: number, limits: BodyLimits): Promise<void> =>
  receive(exchange, maxBytes, limits, () => undefined);

/** Marks the rest of the request's body as lost: readers, present and later, fail with `refusal`. */
export function breakBody(req: IncomingMessage, refusal: RequestRefused): void {
  broken.set(req, refusal);
  req.emit(breaking, refusal);
}

export const isBodyBroken = (req: IncomingMessage): boolean => broken.has(req);

/** The event by which a request's reader learns that its body is lost. */
const breaking = Symbol("breaking");

/** Passes each piece on as it comes; ends as `readRawBody` says. */
const receive = ({ req, res }: Exchange, maxBytes: number, limits: BodyLimits, take: (piece: Buffer) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    let isOpen = true;
    let bytes = 0;
    let timer: NodeJS.Timeout | undefined;
    let deadline = Infinity;
    const close = (): void => {
      isOpen = false;
      clearTimeout(timer);
    };
    const refuse = (refusal: RequestRefused): void => {
      close();
      reject(refusal);
    };
    const lose = (cause?: unknown): void => {
      if (isOpen) reject(new ClientGone("The client closed the connection before its request was complete.", { cause }));
      close();
    };
    const timeOut = (): void => breakBody(req, new RequestRefused("request_timeout"));
    const onData = (piece: Buffer): void => {
      bytes += piece.length;
      if (bytes > maxBytes) {
        req.off("data", onData).pause();
        refuse(new RequestRefused("body_too_large"));
      } else if (timer && performance.now() > deadline) timeOut();
      else if (isOpen) {
        take(piece);
        timer?.refresh();
      }
    };

    const known = broken.get(req);
    if (known !== undefined) return refuse(known);
    if (req.destroyed) return lose();
    if (req.headers.expect !== undefined) res.writeContinue();
    // Runs before the first piece is passed on. A body that came with its headers is complete by then and needs no clock.
    process.nextTick(() => {
      if (req.complete || !isOpen) return;
      deadline = performance.now() + limits.bodyMs;
      timer = setTimeout(timeOut, limits.bodyIdleMs);
    });
    req.on(breaking, refuse).on("data", onData).on("error", lose).on("close", lose);
    req.on("end", () => {
      close();
      resolve();
    });
  });
