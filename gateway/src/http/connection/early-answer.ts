import type { IncomingMessage } from "node:http";
import type { Middleware } from "koa";
import { closeAfter } from "shared/server/http-server";
import type { TimeLimits } from "../../time-limits.ts";
import { isBodyBroken } from "./raw-body.ts";

/** More than this of an unwanted body is not read: the client then sees a reset instead of the answer. */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024;

type DiscardLimits = Pick<TimeLimits, "discardMs" | "discardIdleMs">;

/**
 * Sends an answer that did not wait for the whole body. Closing with bytes unread would reset the connection, and most clients would
 * then never see the answer: so the rest is read and thrown away, within bounds, and only then the connection is closed.
 */
export const earlyAnswer =
  (limits: DiscardLimits): Middleware =>
  async (ctx, next) => {
    await next();
    const { req, res } = ctx;
    if (req.complete || ctx.respond === false) return;
    ctx.respond = false;
    ctx.set("Connection", "close");
    closeAfter(req.socket);
    if (ctx.method !== "HEAD" && typeof ctx.body === "string") res.write(ctx.body);
    else res.flushHeaders();
    if (!isBodyBroken(req)) await discardRest(req, limits);
    res.end();
  };

/** Reads what is left of a body and throws it away, within bounds. */
export const discardRest = async (req: IncomingMessage, limits: DiscardLimits): Promise<void> =>
  new Promise((resolve) => {
    let bytes = 0;
    const done = (): void => {
      clearTimeout(total);
      clearTimeout(idle);
      req.off("data", onData);
      resolve();
    };
    const total = setTimeout(done, limits.discardMs);
    const idle = setTimeout(done, limits.discardIdleMs);
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      idle.refresh();
      if (bytes > MAX_DISCARDED_BYTES) done();
    };
    req.on("data", onData).once("end", done).once("close", done).once("error", done);
    req.resume();
  });
