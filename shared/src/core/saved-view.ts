/** The lists of the dashboard whose filters can be saved. */
export const viewLists = [
  ...(["log", "events", "scheduled", "bindings", "statistics", "webhooks", "problems", "operations", "audit"] as const),
  ...(["sites", "templates", "privacy", "tokens"] as const),
] as const;
export type ViewList = (typeof viewLists)[number];

/** Periods that move on with the days: those of the reader's time zone, in the statistics those of the account's. */
export const viewPeriods = ["today", "yesterday", "lastWeek", "week", "month", "quarter"] as const;
export type ViewPeriod = (typeof viewPeriods)[number];

const span = ["period", "from", "to"] as const;

const members = {
  log: ["siteId", "siteMode", "status", "event", "template", "errorCode", "test", "columns", ...span],
  events: ["siteId", "siteMode", "event", "outcome", "test", "dryRun", "unreached", ...span],
  scheduled: ["siteId", "siteMode", "event", "template"],
  bindings: ["search", "siteId", "event", "templateId", "field"],
  statistics: ["siteId", "by", ...span],
  webhooks: ["siteId", "webhookId", "status", "type", ...span],
  problems: ["search", "siteId", "state", "kind"],
  operations: ["siteId", "state", "kind"],
  audit: ["actor", "action", ...span],
  sites: ["search", "state", "sourceType"],
  templates: ["search", "status"],
  /** The opt-outs. */
  privacy: ["scope", "source"],
  tokens: ["search", "role"],
} as const satisfies Record<ViewList, readonly string[]>;

export type ViewMember = (typeof members)[ViewList][number];

/** The members that a view of each list may hold. None may name a customer: no phone, no id of an order or event, and a search text only of lists of what people have set up. */
export const viewMembers: Record<ViewList, readonly ViewMember[]> = members;

/** The most views of a list in an account. */
export const mostViews = 50;
/** The most characters of a view's name. */
export const longestViewName = 60;
