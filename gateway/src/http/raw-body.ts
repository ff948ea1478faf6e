import type { IncomingMessage, ServerResponse } from "node:http";
import { createDeadlines } from "shared/server/deadlines";
import { RequestRefused } from "../refusal.ts";
import type { TimeLimits } from "../time-limits.ts";

export interface Exchange {
  req: IncomingMessage;
  res: ServerResponse;
}

/** The client went away before its body was complete: nobody is left to answer. */
export class ClientGone extends Error {
  override readonly name = "ClientGone";

  constructor(cause: unknown) {
    super("The client closed the connection before its request was complete.", { cause });
  }
}

/** Requests whose body cannot be read any further, and why. */
const broken = new WeakMap<IncomingMessage, RequestRefused>();

/** Throws `body_too_large` when the request announces more than `maxBytes`. */
export function refuseDeclaredLength(req: IncomingMessage, maxBytes: number): void {
  if (Number(req.headers["content-length"] ?? 0) > maxBytes) throw new RequestRefused("body_too_large");
}

/** Marks the rest of the request's body as lost: readers, present and later, fail with `refusal`. */
export function breakBody(req: IncomingMessage, refusal: RequestRefused): void {
  broken.set(req, refusal);
  req.emit(breaking, refusal);
}

export const isBodyBroken = (req: IncomingMessage): boolean => broken.has(req);

/** The event by which a request's reader learns that its body is lost. */
const breaking = Symbol("breaking");

/** Whoever waits for a body. */
interface Waiting {
  resolve(body: Buffer): void;
  reject(error: unknown): void;
}

export type ReadBody = ReturnType<typeof createReadBody>;

export function createReadBody({ bodyMs, bodyIdleMs }: Pick<TimeLimits, "bodyIdleMs" | "bodyMs">) {
  const deadlines = createDeadlines();
  /**
   * The body's exact bytes; sends `100 Continue` first when the client waits for it. Throws `body_too_large` as soon as more than `maxBytes` are announced or
   * have come, `request_timeout` when they come too slowly, `bad_request` when they are not framed as HTTP says, `ClientGone` when they end early.
   */
  return ({ req, res }: Exchange, maxBytes: number): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      refuseDeclaredLength(req, maxBytes);
      const known = broken.get(req);
      if (known !== undefined) throw known;
      const wholeEndsAt = performance.now() + bodyMs;
      let waiting: Waiting | null = { resolve, reject };
      let pieces: Buffer[] = [];
      let bytes = 0;
      const limited = {
        /** The earlier of the end of the pause after the last piece and the end of the whole. */
        endsAt: performance.now() + bodyIdleMs,
        place: -1,
        expire: () => breakBody(req, new RequestRefused("request_timeout")),
      };
      /** Lets go of the body and of whoever waits for it, as the request holds its listeners until it is answered. Null when it was over before. */
      const end = (): Waiting | null => {
        const waited = waiting;
        deadlines.remove(limited);
        [waiting, pieces] = [null, []];
        return waited;
      };
      const fail = (error: unknown): void => end()?.reject(error);
      const lose = (cause?: unknown): void => (waiting === null ? undefined : fail(new ClientGone(cause)));
      const receive = (piece: Buffer): void => {
        bytes += piece.length;
        if (bytes > maxBytes) {
          req.off("data", receive).pause();
          fail(new RequestRefused("body_too_large"));
        } else if (waiting !== null) pieces.push(piece);
        limited.endsAt = Math.min(performance.now() + bodyIdleMs, wholeEndsAt);
      };
      const complete = (): void => {
        const [first, ...more] = pieces;
        const body = first !== undefined && more.length === 0 ? first : Buffer.concat(pieces);
        end()?.resolve(body);
      };
      if (req.destroyed) return lose();
      if (req.headers.expect !== undefined) res.writeContinue();
      deadlines.add(limited);
      req.on(breaking, fail).on("data", receive).on("error", lose).on("close", lose).on("end", complete);
    });
}
