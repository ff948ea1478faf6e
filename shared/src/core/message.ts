import drops from "./drop-statuses.json" with { type: "json" };
import { dayMs, minuteMs } from "./durations.ts";
import type { Write } from "./wording.ts";

/** The platform's usual time to live: within it a message reaches the phone or is dropped, and the platform need not report that. */
const lifeMs: ReadonlyMap<string, number> = new Map([["AUTHENTICATION", 10 * minuteMs]]);
const usualLifeMs = 30 * dayMs;

/**
 * Whether the platform probably dropped a message that it accepted: it reported no delivery within the message's lifetime. `category` and `ttlSeconds`: the
 * template's, null when unknown.
 */
export function hasNoNews({ status, category, ttlSeconds = null, sentAt }: Accepted, now: Date): boolean {
  if (status !== "sent" || sentAt === null) return false;
  const usual = lifeMs.get(category?.toUpperCase() ?? "") ?? usualLifeMs;
  return now.getTime() - sentAt.getTime() > (ttlSeconds === null ? usual : ttlSeconds === -1 ? usualLifeMs : ttlSeconds * 1_000);
}

interface Accepted {
  status: NotificationStatus;
  category: string | null;
  ttlSeconds?: number | null;
  sentAt: Date | null;
}

/** What a status says at a glance; the dashboard has one colour for each, the same in lists and charts. `attention`: it needs somebody. */
export type Tone = "delivered" | "read" | "waiting" | "attention" | "failed";

/** What follows from a message's status. `label`: what became of one message, in lower case where it is the status; counts of many have words of their own. */
type StatusFacts = {
  label: string;
  tone: Tone;
  /** Nothing is expected after it. */
  isFinal: boolean;
} & (
  | {
      /** `waiting`: not to be handed over yet. `open`: being handed to the platform. `accepted`: the platform took it. `closed`: it did not, for good. */
      phase: "waiting" | "open" | "accepted" | "closed";
    }
  | {
      /** It was never handed over, on purpose. */
      phase: "dropped";
      /** What a summary says of so many. */
      told: (t: Write, count: number, why: string) => string;
      /** The step of an event at which these messages ended. */
      step: (t: Write, which: string) => string;
    }
);

/** A message's statuses in the order in which one may replace another; the database's enum has the same order. */
export const statusFacts = {
  scheduled: { label: "scheduled", tone: "waiting", phase: "waiting", isFinal: false },
  cancelled: {
    label: "cancelled",
    tone: "waiting",
    phase: "dropped",
    isFinal: true,
    told: (t, cancelled, why) => t("{cancelled, plural, one {# message was} other {# messages were}} cancelled: {why}", { cancelled, why }),
    step: (t, which) => t("{which} cancelled", { which }),
  },
  queued: { label: "queued", tone: "waiting", phase: "open", isFinal: false },
  sending: { label: "sending", tone: "waiting", phase: "open", isFinal: false },
  sent: { label: "Accepted by WhatsApp", tone: "waiting", phase: "accepted", isFinal: false },
  failed: { label: "failed", tone: "failed", phase: "closed", isFinal: true },
  delivered: { label: "Delivered to the phone", tone: "delivered", phase: "accepted", isFinal: false },
  read: { label: "read", tone: "read", phase: "accepted", isFinal: true },
} as const satisfies Record<string, StatusFacts>;

export type NotificationStatus = keyof typeof statusFacts;
export const notificationStatuses = Object.keys(statusFacts) as NotificationStatus[];

type Phase = StatusFacts["phase"];
type StatusIn<P extends Phase> = { [S in NotificationStatus]: (typeof statusFacts)[S]["phase"] extends P ? S : never }[NotificationStatus];

export const statusesIn = <P extends Phase>(...phases: P[]) =>
  notificationStatuses.filter((status): status is StatusIn<P> => phases.some((phase) => phase === statusFacts[status].phase));

/** A status of messages that are still to be handed to the platform. */
export type OpenStatus = StatusIn<"open">;

/** A status of messages that were left unsent on purpose. */
export type DroppedStatus = StatusIn<"dropped">;

/** Why a message is left unsent on purpose, by the code that the log has, and the status that it gets. */
export const dropStatuses = drops as Record<keyof typeof drops, DroppedStatus>;
export type DropCode = keyof typeof dropStatuses;

/** Whether a message was left unsent on purpose. Its code and reason in the log say why, and are no error. */
export const isDropped = (status: NotificationStatus): status is DroppedStatus => statusFacts[status].phase === "dropped";

/** The statuses that the platform reports, in the order of a message's life. Each has a time in the log. */
export const reportedStatuses = ["sent", "delivered", "read", "failed"] as const satisfies NotificationStatus[];
export type ReportedStatus = (typeof reportedStatuses)[number];

/** The higher of two statuses replaces the other. */
export const statusRank = (status: NotificationStatus): number => notificationStatuses.indexOf(status);

/** Whether the platform has reported that the phone has the message. */
export const hasArrived = (status: NotificationStatus): boolean => statusRank(status) >= statusRank("delivered");

/** What a message costs, in the platform's terms in lower case, such as `utility` and `regular`. */
export interface Pricing {
  category: string;
  type: string;
  billable: boolean;
}

/** The messages that a person does not want: those of marketing templates, or all. */
export const optOutScopes = ["marketing", "all"] as const;
export type OptOutScope = (typeof optOutScopes)[number];

/** The origin of an opt-out: the person's settings in the app, a word that they sent, a failed message, a refused message, or an operator. */
export const optOutSources = ["preference", "keyword", "callback", "refusal", "operator"] as const;
export type OptOutSource = (typeof optOutSources)[number];

/** The scope in which an error of the platform says that the recipient opted out; null for other errors. A block (130403) is the business's own. */
export const optOutScopeOf = (errorCode: string | null): OptOutScope | null => (errorCode === "131050" ? "marketing" : null);

/** The groupings of the statistics; the first is the default. */
export const groupings = ["template", "binding", "site", "hour", "day"] as const;
export type Grouping = (typeof groupings)[number];
