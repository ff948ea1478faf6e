import { maskReachIn } from "shared/core/mask";
import { actionsOf, pathOf } from "shared/core/problem/actions";
import { describeProblem } from "shared/core/problem/words";
import { may, type Role } from "shared/core/role";
import { type ProblemRow, toTellable } from "shared/db/problem/problem";
import { resendOutlook } from "shared/platform/errors/classify";
import { shownText } from "../trpc/roles.ts";
import { writeWithin } from "./texts.ts";

/** The problem in words, as the role may see them. */
export function presentWords(row: ProblemRow, role: Role) {
  const told = toTellable(row);
  const { title, advice, counted } = describeProblem(told);
  return { title: shownText(title, role), advice: shownText(advice, role), counted, path: pathOf(told) };
}

export const shownDetail = <T>(value: T, role: Role): T => (may(role, "seePhones") ? value : writeWithin(value, maskReachIn));

const helps = (code: string): boolean => resendOutlook({ code, subcode: null }) !== "futile";

export function presentProblem(row: ProblemRow, role: Role) {
  return {
    id: row.id,
    kind: row.kind,
    /** What it is about, such as an id or a code; empty: the account. */
    subject: row.subject,
    siteId: row.site_id,
    ...presentWords(row, role),
    detail: shownDetail(row.detail, role),
    count: row.count,
    /** Whether there may be more than were counted. */
    more: row.more,
    firstAt: row.first_at.toISOString(),
    lastAt: row.last_at.toISOString(),
    state: row.state,
    snoozedUntil: row.state === "snoozed" ? (row.snoozed_until?.toISOString() ?? null) : null,
    resolvedAt: row.resolved_at?.toISOString() ?? null,
    acknowledgedBy: row.acknowledged_by,
    note: row.note,
    actions: actionsOf(toTellable(row), helps),
  };
}
