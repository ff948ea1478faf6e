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
const receive = (exchange: Exchange, maxBytes: number, limits: BodyLimits, take: (piece: Buffer) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const { req, res } = exchange;
    const known = broken.get(req);
    if (known !== undefined) return reject(known);
    if (req.destroyed) return reject(new ClientGone("The client closed the connection before its request was complete."));
    if (req.headers.expect !== undefined) res.writeContinue();
    new BodyReader(req, maxBytes, limits, take, resolve, reject);
  });

/** The member of a request that holds its reader, so that all requests share their listeners. */
const reader = Symbol("reader");
type Reading = IncomingMessage & { [reader]: BodyReader };

class BodyReader {
  private readonly req: IncomingMessage;
  private readonly maxBytes: number;
  private readonly limits: BodyLimits;
  private readonly take: (piece: Buffer) => void;
  private readonly resolve: () => void;
  private readonly reject: (error: unknown) => void;
  private isOpen = true;
  private bytes = 0;
  private timer: NodeJS.Timeout | undefined;
  private deadline = Infinity;

  constructor(
    req: IncomingMessage,
    maxBytes: number,
    limits: BodyLimits,
    take: (piece: Buffer) => void,
    resolve: () => void,
    reject: (error: unknown) => void,
  ) {
    this.req = Object.assign(req, { [reader]: this });
    this.maxBytes = maxBytes;
    this.limits = limits;
    this.take = take;
    this.resolve = resolve;
    this.reject = reject;
    // Runs before the first piece is passed on. A body that came with its headers is complete by then and needs no clock.
    process.nextTick(startClock, this);
    req.on(breaking, onBreaking).on("data", onData).on("error", onLost).on("close", onLost).on("end", onEnd);
  }

  startClock(): void {
    if (this.req.complete || !this.isOpen) return;
    this.deadline = performance.now() + this.limits.bodyMs;
    this.timer = setTimeout(breakBody, this.limits.bodyIdleMs, this.req, new RequestRefused("request_timeout"));
  }

  receive(piece: Buffer): void {
    this.bytes += piece.length;
    if (this.bytes > this.maxBytes) {
      this.req.off("data", onData).pause();
      this.end(this.reject, new RequestRefused("body_too_large"));
    } else if (this.timer && performance.now() > this.deadline) breakBody(this.req, new RequestRefused("request_timeout"));
    else if (this.isOpen) {
      this.take(piece);
      this.timer?.refresh();
    }
  }

  complete(): void {
    this.end(this.resolve, undefined);
  }

  fail(error: unknown): void {
    this.end(this.reject, error);
  }

  lose(cause: unknown): void {
    if (this.isOpen) this.fail(new ClientGone("The client closed the connection before its request was complete.", { cause }));
  }

  private end<T>(settle: (outcome: T) => void, outcome: T): void {
    this.isOpen = false;
    clearTimeout(this.timer);
    settle(outcome);
  }
}

const startClock = (body: BodyReader): void => body.startClock();

function onData(this: Reading, piece: Buffer): void {
  this[reader].receive(piece);
}

function onBreaking(this: Reading, refusal: RequestRefused): void {
  this[reader].fail(refusal);
}

function onLost(this: Reading, cause?: unknown): void {
  this[reader].lose(cause);
}

function onEnd(this: Reading): void {
  this[reader].complete();
}
