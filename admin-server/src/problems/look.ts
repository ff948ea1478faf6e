import type { AlertSwitches } from "shared/core/alert/alert";
import type { JsonValue } from "shared/core/json";
import { maskPhonesIn, maskReachIn } from "shared/core/mask";
import { actionsOf, pathOf } from "shared/core/problem/actions";
import type { FoundProblem, ProblemKind } from "shared/core/problem/problem";
import { describeProblem } from "shared/core/problem/words";
import { type Role, may } from "shared/core/role";
import { isUuid, uuidFloor, uuidTime } from "shared/core/uuid";
import type { OutcomesRow } from "shared/db/event/log";
import type { PlatformAccountRow } from "shared/db/platform-account";
import { type ProblemRow, type listStarts, toTellable } from "shared/db/problem/problem";
import type { SiteStateRow } from "shared/db/site";
import { resendOutlook } from "shared/platform/errors/classify";
import type { AdminContext } from "../context.ts";
import { oneLine } from "../mail/letter.ts";
import { present } from "../trpc/paging.ts";
import { shownText } from "../trpc/roles.ts";

/** What one look begins with. */
export interface Look {
  context: Pick<AdminContext, "sql" | "vault" | "clock">;
  accountId: string;
  switches: AlertSwitches;
  /** The problems that are open, and since when those that people resolved count again. */
  known: Awaited<ReturnType<typeof listStarts>>;
}

/** Finds the problems of some kinds. */
export type Find = (look: Look, facts: Facts) => Promise<FoundProblem[]> | FoundProblem[];

/** The problem of the account that one look finds, as it is known, if it is. */
export const knownOf = ({ known }: Pick<Look, "known">, { kind, siteId, subject }: Pick<FoundProblem, "kind" | "siteId" | "subject">) =>
  known.find((row) => row.kind === kind && row.site_id === siteId && row.subject === subject);

/** The id from which on what is part of a problem counts: what was made before a person resolved it does not. */
export function countedFrom(look: Pick<Look, "known">, kind: ProblemKind, siteId: string | null, subject: string): string {
  const from = knownOf(look, { kind, siteId, subject })?.counted_from;
  return from == null ? "" : uuidFloor(from.getTime());
}

/** The facts that several kinds are found in. */
export interface Facts {
  sites: ReadonlyMap<string, SiteStateRow>;
  platform: PlatformAccountRow | undefined;
  /** The newest events of the last week, at most `mostOfSite` a site, by name and outcome. */
  events: readonly OutcomesRow[];
  now: Date;
  mostOfSite: number;
}

const longestText = 500;

/** A text of people or of the platform in the form in which it may leave: in one line, and without phones. */
const told = (text: string): string => maskPhonesIn(oneLine(text)).slice(0, longestText);

/** The platform repeats text that it refuses, so its words may contain a token. */
export const platformWords = (text: string): string => told(text.replaceAll(/[\w.-]{24,}/g, "•••")).slice(0, 300);

const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/u.test(text);

/** A detail whose texts are `write`'s. Ids and times stay: their digits may look like a phone's. */
function writeWithin<T>(value: T, write: (text: string) => string): T {
  if (typeof value === "string") return (isUuid(value) || isTime(value) ? value : write(value)) as T;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each: JsonValue) => writeWithin(each, write)) as T;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, writeWithin(inner as JsonValue, write)])) as T;
}

/** A detail whose texts may be stored and may leave. */
export const toldWithin = <T>(value: T): T => writeWithin(value, told);

/** The measure of a fault that lasts until somebody acts. */
export const lasting = { count: 0, more: false, firstAt: null, lastAt: null } as const;

/** When an id was made. */
export const timeOf = (id: string | null | undefined): Date | null => (id == null ? null : new Date(uuidTime(id)));

/** The measure of events from an id on. */
export function countOf(events: readonly OutcomesRow[], from: string) {
  const counted = events.filter(({ last_event_id: id }) => id >= from);
  const first = counted.map(({ first_event_id: id }) => id).toSorted();
  const last = counted.map(({ last_event_id: id }) => id).toSorted();
  const count = counted.reduce((sum, row) => sum + row.count, 0);
  return { count, more: counted.some(({ more }) => more), firstAt: timeOf(first[0]), lastAt: timeOf(last.at(-1)), ofSpan: true };
}

/** The problem in words, as the role may see them. */
export function presentWords(row: ProblemRow, role: Role) {
  const told = toTellable(row);
  const { title, advice, counted } = describeProblem(told);
  return { title: shownText(title, role), advice: shownText(advice, role), counted, path: pathOf(told) };
}

/** Ids stay, though their digits may look like a phone. */
export const shownDetail = <T>(value: T, role: Role): T =>
  may(role, "seePhones") ? value : writeWithin(value, (text) => (isUuid(text) ? text : maskReachIn(text)));

const helps = (code: string): boolean => resendOutlook({ code, subcode: null }) !== "futile";

export const presentProblem = (role: Role) => (row: ProblemRow) => ({
  ...present(row, "id", "kind", "subject", "site_id", "count", "more", "first_at", "last_at", "state", "resolved_at"),
  ...present(row, "began_at", "reopened_at"),
  ...present(row, "acknowledged_by", "note"),
  ...presentWords(row, role),
  detail: shownDetail(row.detail, role),
  snoozedUntil: row.state === "snoozed" ? (row.snoozed_until?.toISOString() ?? null) : null,
  actions: actionsOf(toTellable(row), helps),
});
