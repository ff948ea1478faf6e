import { maskReachIn } from "shared/core/mask";
import { actionsOf, pathOf } from "shared/core/problem/actions";
import { describeProblem } from "shared/core/problem/words";
import { may, type Role } from "shared/core/role";
import { isUuid } from "shared/core/uuid";
import { type ProblemRow, toTellable } from "shared/db/problem/problem";
import { resendOutlook } from "shared/platform/errors/classify";
import { present } from "../trpc/present.ts";
import { shownText } from "../trpc/roles.ts";
import { writeWithin } from "./texts.ts";

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

export function presentProblem(row: ProblemRow, role: Role) {
  return {
    ...present(row, "id", "kind", "subject", "site_id", "count", "more", "first_at", "last_at", "state", "resolved_at"),
    ...present(row, "acknowledged_by", "note"),
    ...presentWords(row, role),
    detail: shownDetail(row.detail, role),
    snoozedUntil: row.state === "snoozed" ? (row.snoozed_until?.toISOString() ?? null) : null,
    actions: actionsOf(toTellable(row), helps),
  };
}
