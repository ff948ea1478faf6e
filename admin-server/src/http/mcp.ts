import type { Middleware } from "koa";
import { attempt } from "shared/core/text";
import { say } from "shared/core/wording";
import type { AdminContext } from "../context.ts";
import { Refusal } from "../trpc/errors.ts";
import { refuseHuge } from "../trpc/input-bounds.ts";
import { answerRefusal } from "./refusals.ts";
import { goneSignal, requestContext } from "./request-context.ts";
import { maxBatchSize, readBody, refuseCostly, tooManyCalls, wrongMethod } from "./trpc-route.ts";

/** A call names little but ids and texts; a preview has a payload. */
const maxBodyBytes = 2 * 1_048_576;

/** The Model Context Protocol for programs with an access token: Streamable HTTP without sessions, so that any server answers any request. */
export function mcpRoute(context: AdminContext): Middleware {
  return async (koa, next) => {
    if (koa.path !== "/mcp") return next();
    koa.set("cache-control", "no-store");
    try {
      const called = await requestContext(context, koa);
      const { caller } = called;
      if (caller === null || caller.via.kind !== "access-token") {
        koa.set("www-authenticate", "Bearer");
        throw new Refusal("UNAUTHORIZED", say("Sign in first"));
      }
      if (koa.method !== "POST") throw wrongMethod(koa, "POST");
      koa.state["accountId"] = caller.accountId;
      const sent = read((await readBody(koa, maxBodyBytes)).toString());
      // An absent version is not an empty one.
      const headers = Object.fromEntries(
        ["accept", "content-type", "mcp-protocol-version"].flatMap((name) => (koa.get(name) === "" ? [] : [[name, koa.get(name)]])),
      );
      // The library is large, so it is loaded with the first request.
      const { answerMcp } = await import("../mcp/tools.ts");
      const request = new Request(new URL(koa.url, "http://localhost"), { method: "POST", headers, signal: goneSignal(koa) });
      const response = await answerMcp(request, sent, { context: called, caller });
      koa.status = response.status;
      koa.body = await response.text();
      koa.type = response.headers.get("content-type") ?? "application/json";
    } catch (error) {
      answerRefusal(context.log, koa, error);
    }
  };
}

/** The message or messages of a body; null of one that is no JSON, which is no message. @throws TRPCError BAD_REQUEST for one that has too much */
function read(body: string): unknown {
  refuseCostly(body);
  const sent = attempt((): unknown => JSON.parse(body), null);
  const isBatch = Array.isArray(sent);
  if (isBatch && sent.length > maxBatchSize) throw tooManyCalls();
  // `params.arguments.payload`
  refuseHuge(sent, isBatch ? 4 : 3);
  return sent;
}
