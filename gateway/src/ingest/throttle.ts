import { withTimeout } from "shared/db/transaction";
import { giveThrottledBack, takeThrottled, type ThrottleMark } from "shared/db/waiting/throttle";
import type { GatewayContext } from "../context.ts";
import type { SiteConfig } from "../sites/sites.ts";
import type { Dispatch, HandedResult, OutgoingMessage } from "./dispatch.ts";
import { localFailure } from "./event.ts";

/** Fails those messages whose bindings allow no more of them to their phones now. Without such bindings it costs nothing. */
export function createThrottledDispatch(context: Pick<GatewayContext, "sql" | "config" | "log">, dispatch: Dispatch): Dispatch {
  const { sql, log } = context;
  const limitMs = context.config.timeLimits.statementMs;

  /** What did not leave after all counts no longer. */
  const giveBack = async (marks: readonly ThrottleMark[]): Promise<void> => {
    if (marks.length === 0) return;
    await withTimeout(giveThrottledBack(sql, marks), limitMs).catch((error: unknown) => {
      log.warn({ err: error }, "messages that did not leave count for their throttle");
    });
  };

  return async (site, wave, limits) => {
    const limited = wave.flatMap(({ throttle }) => throttle ?? []);
    if (limited.length === 0) return await dispatch(site, wave, limits);
    const marks = await withTimeout(takeThrottled(sql, limited), limitMs);
    const marked = new Set(marks.map(({ id }) => id));
    const free = wave.filter(({ id, throttle }) => !throttle || marked.has(id));
    const results = free.length > 0 ? await dispatch(site, free, limits) : [];
    const byId = new Map(results.map((result) => [result.id, result]));
    await giveBack(marks.filter(({ id }) => !hasLeft(byId.get(id))));
    return wave.map((message) => byId.get(message.id) ?? throttled(site, message));
  };
}

const throttled = (site: SiteConfig, message: OutgoingMessage): HandedResult =>
  localFailure(site.id, message, "throttled", "The phone has had as many of this binding's messages as it allows in that time.");

/** As far as is known. */
const hasLeft = (result: HandedResult | undefined): boolean =>
  result !== undefined && (result.status === "sent" || result.error_code === "in_doubt" || result.error_code === "unexpected_answer");
