import type { RouterMiddleware } from "@koa/router";
import type { GatewayContext } from "../context.ts";
import type { Ingest } from "../ingest/ingest.ts";
import { RequestRefused } from "../refusal.ts";
import type { LoggedState } from "./access-log.ts";
import { answerJson } from "./answer.ts";
import { readRawBody, refuseDeclaredLength } from "./raw-body.ts";

/** `POST /api/public/ingest/{source}/{event}`: asked thousands of times a second, so it allocates nothing that the answer does not need. */
export function createIngestRoute({ config, clock }: GatewayContext, ingest: Pick<Ingest, "handle">): RouterMiddleware<LoggedState> {
  return async (ctx) => {
    refuseDeclaredLength(ctx.req, config.maxBodyBytes);
    // Not `ctx.params`: the router leaves a segment that it cannot decode as it is.
    const [source = "", event = ""] = ctx.captures ?? [];
    const answer = await ingest.handle({
      headers: ctx.req.headers,
      source: decode(source),
      event: decode(event),
      receivedAt: clock.now(),
      readBody: async () => readRawBody(ctx, config.maxBodyBytes, config.timeLimits),
    });
    ctx.state.eventId = answer.eventId;
    answerJson(ctx, answer.status, answer.body);
    if (answer.headers) ctx.set(answer.headers);
  };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    throw new RequestRefused("bad_request", null, { cause: error });
  }
}
