import { setMaxListeners } from "node:events";
import { setTimeout } from "node:timers/promises";
import { tracked } from "@trpc/server";
import type {} from "@trpc/server/unstable-core-do-not-import";
import { tailWebhooksInput } from "shared/core/input/webhooks";
import { uuidFloor } from "shared/core/uuid";
import { say } from "shared/core/wording";
import { findSite } from "shared/db/site";
import { readRecentStatuses } from "shared/db/webhook/recent";
import { readRowCodec } from "shared/sealing/account-rows";
import { bodyOf } from "shared/sealing/delivery-body";
import type { AdminContext } from "../context.ts";
import type { Caller } from "../session/caller.ts";
import { whileLetIn } from "../session/sessions.ts";
import { notFound, Refusal } from "../trpc/errors.ts";
import { operatorProcedure, router } from "../trpc/trpc.ts";

const pollMs = 500;
/** Messages that were made longer ago are not looked at. */
const oldestMs = 31 * 86_400_000;
/** A status may be stored so much later than its time says; a stream that goes on tells these again, with the ids that they had. */
const lateMs = 60_000;
/** The most streams of the server: each asks the database twice a second. */
const mostStreams = 50;
let streams = 0;

export const webhookTailRouter = router({
  /** What endpoints of a site would be told of its messages from now on, or from where the stream before has ended. */
  tail: operatorProcedure
    .input(tailWebhooksInput)
    .subscription(({ ctx, input, signal }) =>
      whileLetIn(ctx, ctx.caller, signal ?? ctx.stopping, (ended) => tailWebhooks(ctx, ctx.caller, input, ended)),
    ),
});

async function* tailWebhooks(
  { sql, vault, clock, stopping }: Pick<AdminContext, "sql" | "vault" | "clock" | "stopping">,
  { accountId }: Pick<Caller, "accountId">,
  { siteId, lastEventId }: { siteId: string; lastEventId?: string | null | undefined },
  ended: AbortSignal,
) {
  if ((await findSite(sql, accountId, siteId)) === undefined) throw notFound("site");
  if (streams >= mostStreams) throw new Refusal("TOO_MANY_REQUESTS", say("Too many programs listen at this server: try again later"));
  streams += 1;
  // Every stream listens to the server's one signal: no warning about a leak.
  setMaxListeners(0, stopping);
  const leave = AbortSignal.any([ended, stopping]);
  // The platform tells times in whole seconds.
  const begun = Math.floor(clock().getTime() / 1000) * 1000;
  const since = Math.min(begun, Number(lastEventId ?? begun));
  let told = new Set<string>();
  try {
    // A first item, empty if need be, tells that the stream has begun, and from where the next one would go on.
    for (let isFirst = true; !leave.aborted; isFirst = false) {
      const now = clock().getTime();
      const found = await readRecentStatuses(sql, siteId, uuidFloor(now - oldestMs), new Date(since));
      const rows = await readRowCodec(sql, vault, accountId);
      const deliveries = found
        .filter(({ id }) => !told.has(id))
        .flatMap((status) => {
          const body = bodyOf(status, rows);
          return body === null ? [] : [{ id: status.id, type: status.type, body }];
        });
      told = new Set(found.map(({ id }) => id));
      if (isFirst || deliveries.length > 0) yield tracked(String(Math.max(since, now - lateMs)), { deliveries });
      await setTimeout(pollMs, undefined, { signal: leave }).catch(() => undefined);
    }
  } finally {
    streams -= 1;
  }
}
