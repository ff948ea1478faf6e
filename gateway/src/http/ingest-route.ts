import type { Context } from "koa";
import type { GatewayContext } from "../context.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { RawRequest } from "../ingest/raw-request.ts";
import { Refusal } from "../ingest/refusal.ts";
import { readRawBody, refuseDeclaredLength } from "./connection/raw-body.ts";

/** Hands a request of the right path and method to the spine and sends what it answers. */
export const answerIngest = async (ctx: Context, { config, clock }: GatewayContext, ingest: Pick<Ingest, "handle">): Promise<void> => {
  const [source = "", event = ""] = ctx.path.split("/").slice(-2).map(decode);
  const request: RawRequest = {
    headers: ctx.req.headers,
    source,
    event,
    receivedAt: clock.now(),
    readBody: async () => readRawBody(ctx, config.maxBodyBytes, config.timeLimits),
  };
  refuseDeclaredLength(ctx.req, config.maxBodyBytes);
  const answer = await ingest.handle(request);
  ctx.state["eventId"] = answer.eventId;
  ctx.status = answer.status;
  ctx.set(answer.headers ?? {});
  ctx.type = "application/json; charset=utf-8";
  ctx.body = answer.body;
};

const decode = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    throw new Refusal("bad_request", null, { cause: error });
  }
};
