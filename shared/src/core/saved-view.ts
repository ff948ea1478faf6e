import type { EventOutcome } from "./event.ts";
import type { Grouping, NotificationStatus } from "./message.ts";
import type { SiteMode } from "./site.ts";

/** The lists of the dashboard whose filters can be saved. */
export const viewLists = ["log", "events", "scheduled", "bindings", "statistics"] as const;
export type ViewList = (typeof viewLists)[number];

/** Periods that move on with the days, in the reader's time zone. */
export const viewPeriods = ["today", "yesterday", "week", "month"] as const;
export type ViewPeriod = (typeof viewPeriods)[number];

/** Search parameters of a list's page. `period` stands in place of `from` and `to` if they are a usual one. */
export interface ViewFilter {
  siteId?: string | undefined;
  siteMode?: SiteMode | undefined;
  event?: string | undefined;
  template?: string | undefined;
  templateId?: string | undefined;
  /** A part of the path of a field. */
  field?: string | undefined;
  status?: NotificationStatus | undefined;
  errorCode?: string | undefined;
  outcome?: EventOutcome | undefined;
  unreached?: string | undefined;
  test?: boolean | undefined;
  dryRun?: boolean | undefined;
  by?: Grouping | undefined;
  /** The columns that are shown, joined by dots. */
  columns?: string | undefined;
  period?: ViewPeriod | undefined;
  /** Days, `YYYY-MM-DD`, or ISO 8601 instants. */
  from?: string | undefined;
  to?: string | undefined;
}

const span = ["period", "from", "to"] as const;

/** The members that a view of each list may hold. None may name a customer: no search text, no phone, no id of an order or event. */
export const viewMembers: Record<ViewList, readonly (keyof ViewFilter)[]> = {
  log: ["siteId", "siteMode", "status", "event", "template", "errorCode", "test", "columns", ...span],
  events: ["siteId", "siteMode", "event", "outcome", "test", "dryRun", "unreached", ...span],
  scheduled: ["siteId", "siteMode", "event", "template"],
  bindings: ["siteId", "event", "templateId", "field"],
  statistics: ["siteId", "by", ...span],
};

/** The most views of a list in an account. */
export const mostViews = 50;
/** The most characters of a view's name. */
export const longestViewName = 60;
