import type { ProblemKind } from "../problem/problem.ts";

/** The kinds of problems whose alerts an owner switches on and off for all channels. An earlier version that runs beside knows these alone. */
export const alertKinds = [
  "platform_stopped",
  "template_refused",
  "failure_rate",
  "site_silent",
  "backlog",
  "endpoint_disabled",
  "secret_unreadable",
  "requests_refused",
] as const satisfies readonly ProblemKind[];
export type AlertKind = (typeof alertKinds)[number];

/** The bounds that an owner may set, and the unit of each. */
export const alertBounds = {
  failure_rate: { least: 1, most: 100, usual: 10, unit: "percent" },
  backlog: { least: 1, most: 1_440, usual: 10, unit: "minutes" },
} as const;

export const boundOf = (kind: AlertKind) => (kind === "failure_rate" || kind === "backlog" ? alertBounds[kind] : null);

/** `bound`: null if the condition has none. */
export type AlertSwitches = Record<AlertKind, { enabled: boolean; bound: number | null }>;

/** An account's settings; a kind or member that is absent has its default. */
export type SetSwitches = Partial<Record<AlertKind, { enabled?: boolean | undefined; bound?: number | undefined }>>;

export const switchesOf = (set: SetSwitches): AlertSwitches =>
  Object.fromEntries(
    alertKinds.map((kind) => [kind, { enabled: set[kind]?.enabled ?? true, bound: set[kind]?.bound ?? boundOf(kind)?.usual ?? null }]),
  ) as AlertSwitches;

export const channelKinds = ["email", "slack", "teams", "pagerduty", "webhook"] as const;
export type ChannelKind = (typeof channelKinds)[number];

/** The channels that programs read: told of each problem by itself and at once, whatever the hour. */
export const programs = ["webhook", "pagerduty"] as const satisfies readonly ChannelKind[];

/** The body of a request to an operational webhook. */
export interface AlertBody {
  type: "alert.raised" | "alert.cleared" | "alert.test";
  /** The problem's id. */
  id: string;
  account_id: string;
  condition: ProblemKind;
  title: string;
  /** The page on which to act. */
  url: string;
  detail: object;
  /** ISO 8601, UTC. */
  raised_at: string;
  cleared_at: string | null;
}
