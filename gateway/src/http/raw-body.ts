import type { IncomingMessage, ServerResponse } from "node:http";
import { createDeadlines, type Deadlines, type Limited } from "shared/server/deadlines";
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

/** Reads the bodies of requests. */
export type Bodies = ReturnType<typeof createBodies>;

export function createBodies(limits: BodyLimits) {
  const deadlines = createDeadlines();
  return {
    /**
     * The body's exact bytes; sends `100 Continue` first when the client waits for it. Throws `body_too_large` as soon as more than `maxBytes` have
     * come, `request_timeout` when they come too slowly, `bad_request` when they are not framed as HTTP says, `ClientGone` when they end early.
     */
    read: (exchange: Exchange, maxBytes: number): Promise<Buffer> =>
      new Promise((resolve, reject) => new BodyReader(exchange, { limits, deadlines, maxBytes }, { resolve, reject }).begin()),
  };
}

/** Marks the rest of the request's body as lost: readers, present and later, fail with `refusal`. */
export function breakBody(req: IncomingMessage, refusal: RequestRefused): void {
  broken.set(req, refusal);
  req.emit(breaking, refusal);
}

export const isBodyBroken = (req: IncomingMessage): boolean => broken.has(req);

/** The event by which a request's reader learns that its body is lost. */
const breaking = Symbol("breaking");

/** The member of a request that holds its reader, so that all requests share their listeners. */
const reader = Symbol("reader");
type Reading = IncomingMessage & { [reader]: BodyReader };

interface Reception {
  limits: BodyLimits;
  deadlines: Deadlines;
  maxBytes: number;
}

/** Whoever waits for the body. */
interface Waiting {
  resolve(body: Buffer): void;
  reject(error: unknown): void;
}

class BodyReader implements Limited {
  /** The earlier of the end of the pause after the last piece and the end of the whole. */
  endsAt: number;
  place = -1;
  private readonly exchange: Exchange;
  private readonly reception: Reception;
  private readonly wholeEndsAt: number;
  private pieces: Buffer[] = [];
  private bytes = 0;
  /** Null when it is over. */
  private waiting: Waiting | null;

  constructor(exchange: Exchange, reception: Reception, waiting: Waiting) {
    const now = performance.now();
    this.exchange = exchange;
    this.reception = reception;
    this.waiting = waiting;
    this.wholeEndsAt = now + reception.limits.bodyMs;
    this.endsAt = now + reception.limits.bodyIdleMs;
  }

  begin(): void {
    const { req, res } = this.exchange;
    const known = broken.get(req);
    if (known !== undefined) return this.fail(known);
    if (req.destroyed) return this.lose(undefined);
    if (req.headers.expect !== undefined) res.writeContinue();
    Object.assign(req, { [reader]: this });
    this.reception.deadlines.add(this);
    req.on(breaking, onBreaking).on("data", onData).on("error", onLost).on("close", onLost).on("end", onEnd);
  }

  receive(piece: Buffer): void {
    const { maxBytes, limits } = this.reception;
    this.bytes += piece.length;
    if (this.bytes > maxBytes) {
      this.exchange.req.off("data", onData).pause();
      this.fail(new RequestRefused("body_too_large"));
    } else if (this.waiting !== null) this.pieces.push(piece);
    this.endsAt = Math.min(performance.now() + limits.bodyIdleMs, this.wholeEndsAt);
  }

  complete(): void {
    const { pieces } = this;
    const [first, ...more] = pieces;
    this.close()?.resolve(first !== undefined && more.length === 0 ? first : Buffer.concat(pieces));
  }

  fail(error: unknown): void {
    this.close()?.reject(error);
  }

  lose(cause: unknown): void {
    if (this.waiting !== null) this.fail(new ClientGone("The client closed the connection before its request was complete.", { cause }));
  }

  expire(): void {
    breakBody(this.exchange.req, new RequestRefused("request_timeout"));
  }

  /** Lets go of the body and of whoever waits for it, as the request holds the reader until it is answered. Null when it was closed before. */
  private close(): Waiting | null {
    const { waiting } = this;
    this.reception.deadlines.remove(this);
    this.waiting = null;
    this.pieces = [];
    return waiting;
  }
}

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
