import { orderTimelineInput } from "shared/core/input/log";
import { router, viewerProcedure } from "../../trpc.ts";
import { readTimeline } from "./timeline.ts";

export const ordersRouter = router({
  timeline: viewerProcedure.input(orderTimelineInput).query(async ({ ctx, input }) => readTimeline(ctx.sql, ctx.caller, input)),
});
