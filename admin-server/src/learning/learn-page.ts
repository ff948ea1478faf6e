import type { Sql } from "shared/db/connect";
import { dropLongUnseenKinds, writeLearned } from "shared/db/event-kind";
import { type HeldSite, holdLearning, type LearningCursors } from "shared/db/event-kind";
import { type NewEvent, readNewEvents } from "shared/db/event-kind";
import { type Budget, choosePayloads, isSpent } from "./choose-payloads.ts";
import { advance, startOf } from "./cursors.ts";
import { learnPayloads, readKinds } from "./kinds.ts";
import type { LearningLimits } from "./limits.ts";

/** One go of learning: a round of the job, or what somebody who asks waits for. */
export interface Run {
  limits: LearningLimits;
  budget: Budget;
  /** Whether sites that another process learns are waited for. */
  waits: boolean;
  /** The last event that was read of each site that has more. */
  reached: ReadonlyMap<string, string>;
}

/**
 * Learns the next events of the sites, in a transaction that holds them. Answers how far it came with those of which there is more. Learning an event
 * again changes nothing, so it matters little where a process dies.
 */
export async function learnPage(sql: Sql, siteIds: readonly string[], run: Run): Promise<Map<string, string>> {
  const { limits, budget } = run;
  const held = await holdLearning(sql, siteIds, limits, run.waits ? "wait" : "skip");
  if (held.length === 0) return new Map();
  const rows = Math.ceil(limits.rows / held.length);
  const starts = held.map((site) => ({ site, after: startOf(site, run.reached.get(site.site_id)) }));
  const events = await readNewEvents(
    sql,
    starts.map(({ site, after }) => ({ site_id: site.site_id, after })),
    { rows, samples: isSpent(budget) ? limits.samples : rows },
  );
  if (events.length === 0 && !held.some((site) => site.overdue)) return new Map();
  const { kinds, added } = await readKinds(sql, events);
  await learnPayloads(sql, choosePayloads(events, budget, limits), kinds);
  const pages = starts.map(({ site, after }) => ({ site, after, ...pageOf(site, events, rows) }));
  await writeLearned(sql, [...kinds.values()], pages.map(cursorsAfter));
  if (added > 0) await dropLongUnseenKinds(sql, siteIds, limits.kinds);
  return new Map(pages.flatMap(({ site, last, isFull }) => (isFull && last !== null ? [[site.site_id, last]] : [])));
}

interface Page {
  site: HeldSite;
  after: string;
  last: string | null;
  isFull: boolean;
}

function pageOf(site: HeldSite, events: readonly NewEvent[], rows: number): Pick<Page, "last" | "isFull"> {
  const own = events.filter((event) => event.site_id === site.site_id);
  const last = own.reduce<string | null>((greatest, { id }) => (greatest === null || id > greatest ? id : greatest), null);
  return { last, isFull: own[0]?.total === rows };
}

const cursorsAfter = (page: Page): LearningCursors => ({
  site_id: page.site.site_id,
  ...advance(page.site, page.after, page),
  has_more: page.isFull,
});
