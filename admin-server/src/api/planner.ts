import { type BindingToPlan, type Plan, planEvent, type PlannedMessage } from "shared/core/plan";
import { describeProblem, type RequestProblem } from "shared/core/requested";
import { uuidTime } from "shared/core/uuid";
import { findOptedOut } from "shared/db/opt-out";
import type { RequestedEventRow } from "shared/db/requested-event";
import { loadSitesForIngest, type SiteForIngestRow, toBindingToPlan } from "shared/db/site-for-ingest";
import { countryOf, normalizePhone } from "shared/normalize-phone";
import type { ReplayableEvent } from "shared/sealing/account-rows";
import type { AdminContext } from "../context.ts";
import { present } from "../trpc/paging.ts";

export type RequestContext = Pick<AdminContext, "sql" | "vault" | "clock">;

export interface Planner {
  site: SiteForIngestRow;
  /** The enabled bindings for an event's name. */
  bindingsOf(event: string): BindingToPlan[];
  /** Plans the event as a gateway would plan it now, or would have at `at`. */
  plan(event: ReplayableEvent, bindings: BindingToPlan[], at?: Date): Plan;
  /** The messages whose recipients have opted out of them. */
  optedOut(plan: Pick<Plan, "messages">): Promise<ReadonlySet<PlannedMessage>>;
}

/** A planner for a site's requested events; null when the site is gone. `others`: templates that none of its bindings has yet. */
export async function createPlanner(
  { sql, vault, clock }: RequestContext,
  accountId: string,
  siteId: string,
  others: readonly { id: string; category: string }[] = [],
): Promise<Planner | null> {
  const [site] = await loadSitesForIngest(sql, [siteId]);
  if (site === undefined) return null;
  const templates = [...site.bindings.map(({ template }) => template), ...others];
  const marketing = new Set(templates.flatMap(({ id, category }) => (category.toUpperCase() === "MARKETING" ? id : [])));
  return {
    site,
    bindingsOf: (name) => site.bindings.filter(({ event }) => event === name).map((row) => toBindingToPlan(row, site.timezone)),
    plan: ({ payload, test, topic }, bindings, at = clock()) =>
      planEvent({
        bindings,
        payload,
        test,
        site: {
          testPhone: site.testPhone,
          activePhones: site.activePhones,
          country: site.country,
          normalizePhones: site.normalizePhones === "all" || (site.normalizePhones === "shop" && topic !== null),
        },
        readPhone: normalizePhone,
        countryOf,
        account: { timezone: site.timezone, configured: site.platform !== null },
        // A shop's events always wait in the queue.
        queued: site.holdMessages || topic !== null,
        now: at,
      }),
    optedOut: async ({ messages }) => {
      if (!site.hasOptOuts) return new Set();
      const asked = messages.map((message) => ({ message, phone: message.toPhone, marketing: marketing.has(message.templateId) }));
      const out = await findOptedOut(sql, vault, accountId, asked);
      return new Set([...out].map(({ message }) => message));
    },
  };
}

/** `id`: that of the event, once it is there. */
export const presentRequest = (row: RequestedEventRow) => ({
  ...present(row, "id", "site_id", "kind", "replay_of"),
  requestedAt: new Date(uuidTime(row.id)).toISOString(),
  state: row.done_at === null ? ("waiting" as const) : row.problem === null ? ("done" as const) : ("refused" as const),
  problem: row.problem && presentProblem(row.problem),
});

export const presentProblem = (code: RequestProblem) => ({ code, text: describeProblem(code) });
