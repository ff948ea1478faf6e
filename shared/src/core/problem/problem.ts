import type { ConditionOp } from "../conditions.ts";
import type { ConnectionCheck } from "../connection-check.ts";
import type { PhoneProblem } from "../phone.ts";
import type { EmptySlot, Reason } from "../reason.ts";
import type { RefusedBecause } from "../refused.ts";
import type { SourceType } from "../site.ts";
import type { ShopFault } from "../sources/shop-problem.ts";
import type { TemplateStatus } from "../template/definition.ts";
import type { Said } from "../wording.ts";
import kinds from "./kinds.json" with { type: "json" };

export type Explained = Record<"text" | "action", string>;

/** The details of a problem, by its kind. They hold nothing of a payload or a person. `codes`: how many messages failed with each code. */
export interface ProblemDetails {
  platform_missing: object;
  /** `until`: ISO 8601, where the platform has told the end. `explanation`: of a code that is known. */
  platform_stopped: { codes?: Readonly<Record<string, number>>; code: string; reason: string; until?: string; explanation?: Explained };
  /** `codes`: of the messages that failed by it; `waiting`: messages in the queue. */
  platform_failing: { unanswered: number; total: number; codes?: Readonly<Record<string, number>>; waiting?: number };
  /** In the platform's own words. */
  platform_notice: { words: string; until: string | null };
  /** `at`: when it comes, null where that is not known, or when it was done. */
  template_category: { name: string; language: string; former: string; category: string; at: string | null; done: boolean };
  secret_unreadable: { of: "site" | "platform" | "dataKey"; name: string | null };
  site_disabled: { site: string };
  requests_refused: {
    name: string;
    count: number;
    more: boolean;
    because: RefusedBecause;
    explanation: Explained;
    lastAt: string;
  };
  template_refused: {
    codes?: Readonly<Record<string, number>>;
    name: string;
    language: string;
    status: TemplateStatus;
    reason: string | null;
    /** The day on which the platform deletes it (UTC), for one that it has put away. */
    deletedOn?: string;
  };
  binding_cannot_send: {
    site: string;
    codes?: Readonly<Record<string, number>>;
    event: string;
    template: string;
    problems: Reason[];
    empty: EmptySlot[];
    failed: Explained | null;
    changedAt: string;
  };
  messages_failed: { site: string; title: string; explanation: Explained };
  nobody_reached: { site: string };
  phones_dropped: { site: string; template: string; problem: PhoneProblem };
  site_without_bindings: { site: string };
  test_without_phone: { site: string };
  binding_never_fired: { site: string; event: string; template: string; rule: { path: string; op: ConditionOp } | null; changedAt: string };
  binding_doubled: { site: string; event: string; template: string };
  /** `was`, `now`: types of JSON values; `now` is null where the newest events lack the field. */
  field_changed: { site: string; event: string; path: string; bindingId: string; was: string; now: string | null };
  event_misspelt: { site: string; event: string; template: string; comes: string };
  /** `reason`: what was found, with the remedy; `said`: the same as data. */
  connection_check: { check: ConnectionCheck; failed: boolean; reason: string; said?: Said };
  callbacks_missing: object;
  number_limit: { reached: number; more?: boolean; limit: number };
  /** `usualPercent`: null before there is a history. `more`: there are messages that were not looked at. `since`: the begin of the hour, ISO 8601. */
  failure_rate: { percent: number; usualPercent: number | null; failed: number; total: number; more?: boolean; since?: string };
  backlog: { minutes: number };
  site_held: { site: string };
  site_silent: { name: string; lastEventAt: string; sourceType?: SourceType };
  shop_fault: { site: string; sourceType: SourceType; fault: ShopFault };
  endpoint_disabled: { host: string; site: string; siteId: string; because: "gone" | "failing" };
  endpoint_failing: { site: string; host: string };
}

export type ProblemKind = keyof ProblemDetails;

/**
 * Every kind of problem, the most harmful first.
 * - harm: `stops`: nothing leaves until somebody acts; `loses`: messages were lost; `risks`: nothing was lost by it, as far as is known.
 * - isChosen: a channel is told of it only where it is chosen by name.
 */
export const kindFacts = kinds satisfies Record<ProblemKind, object> as Readonly<
  Record<ProblemKind, { harm: "stops" | "loses" | "risks"; isChosen?: true }>
>;

export const problemKinds = Object.keys(kindFacts) as [ProblemKind, ...ProblemKind[]];

/** What a channel is told of unless it chooses kinds. */
export const usualKinds: readonly ProblemKind[] = problemKinds.filter((kind) => kindFacts[kind].isChosen !== true);

export const problemStates = ["open", "acknowledged", "snoozed", "resolved"] as const;
export type ProblemState = (typeof problemStates)[number];

/** A problem's kind with what is told of it. */
export type TellableProblem = { [K in ProblemKind]: { kind: K; detail: ProblemDetails[K] } }[ProblemKind] & {
  siteId: string | null;
  /** What it is about, such as an id or a code; empty: the account. */
  subject: string;
  /** The number of messages, events or requests that are part of it. */
  count: number;
  /** Whether there may be more than were counted. */
  more: boolean;
};

/** A problem as one look finds it. */
export type FoundProblem = TellableProblem & {
  /** When the first and the last of its parts came; null for a lasting fault. */
  firstAt: Date | null;
  lastAt: Date | null;
  /** Its parts are those of a span that moves on, so that `firstAt` moves with them. */
  ofSpan?: boolean;
  /** It stands in the list, but nobody is told of it yet. */
  isQuiet?: boolean;
};

export const keyOfProblem = ({ kind, siteId, subject }: Pick<FoundProblem, "kind" | "siteId" | "subject">): string =>
  `${kind} ${siteId} ${subject}`;

export interface Ranked {
  kind: ProblemKind;
  count: number;
  lastAt: string;
}

const harms = ["stops", "loses", "risks"] as const;
const harmOf = ({ kind }: Ranked): number => harms.indexOf(kindFacts[kind].harm);

/** The problems, the most harmful first: those that stop everything, then by what was lost, then the latest. */
export const rankProblems = <P extends Ranked>(problems: readonly P[]): P[] =>
  problems.toSorted((a, b) => harmOf(a) - harmOf(b) || b.count - a.count || b.lastAt.localeCompare(a.lastAt));
