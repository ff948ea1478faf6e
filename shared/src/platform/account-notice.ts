import { accountFields } from "../core/connection-check.ts";
import { boundedText, idMember, listMember, member, textMember } from "./exchange.ts";

/** What the platform tells of the whole account. */
export interface AccountNotice {
  /** When the platform sent it, by its clock; null when missing. */
  at: Date | null;
  /** What the account is to do; null where people are only told. */
  effect: { kind: "stop"; code: string; reason: string; until: Date | null } | { kind: "resume" } | { kind: "read_templates" } | null;
  /** What people are told, one thing each; of each subject the newest counts. */
  told: { subject: string; words: string; until: Date | null }[];
}

/** Events after which nothing can be sent, and those after which it may be tried again. */
const stops: ReadonlySet<string> = new Set(["DISABLE", "ACCOUNT_DELETED", "ACCOUNT_OFFBOARDED", "RESTRICTED_BIZ_INITIATED_MESSAGING"]);
const resumptions: ReadonlySet<string> = new Set(["REINSTATE", "ACCOUNT_RECONNECTED"]);
const utilityRestriction = "RESTRICTED_UTILITY_TEMPLATES";

/** What each of the ladder's steps is about: the newest step replaces the former ones. */
const step = /(_RATE_LIMIT_RECOVERY|_RATE_LIMIT|_UNBAN)$/;

/**
 * @param change `{field, value}`; null when it is about something else, or about another number.
 * @param phoneNumberId Ours; null: any.
 */
export function readNotice(change: unknown, at: Date | null, phoneNumberId: string | null): AccountNotice | null {
  const field = textMember(change, "field") ?? "";
  const value = member(change, "value");
  if (!accountFields.includes(field) || typeof value !== "object" || value === null) return null;
  if (field === "account_update") return readAccountUpdate(value, at);
  const entity = idMember(value, "entity_id");
  const isOfOther = textMember(value, "entity_type") === "PHONE_NUMBER" && phoneNumberId !== null && entity !== undefined;
  if (isOfOther && entity !== phoneNumberId) return null;
  const what = [member(member(value, "alert_info"), "alert_type"), member(value, "alert_type"), member(value, "message_template_name")];
  const about = what.find((one) => typeof one === "string") ?? textMember(value, "event") ?? "";
  return { at, effect: null, told: [{ subject: subjectOf(field, String(about)), words: wordsOf(value), until: null }] };
}

function readAccountUpdate(value: object, at: Date | null): AccountNotice {
  const event = textMember(value, "event") ?? "";
  const ban = textMember(member(value, "ban_info"), "waba_ban_state") ?? "";
  const restrictions = listMember(value, "restriction_info").map((item) => ({
    type: textMember(item, "restriction_type") ?? "",
    until: timeMember(item, "expiration"),
    remediation: textMember(item, "remediation") ?? "",
  }));
  const names = [event, ban, ...restrictions.map(({ type }) => type)].map((name) => name.toUpperCase());
  const code = names.find((name) => stops.has(name));
  const cause = restrictions.find(({ type }) => type.toUpperCase() === code);
  if (code !== undefined) {
    const reason = cause === undefined ? (textMember(member(value, "ban_info"), "waba_ban_date") ?? "") : cause.remediation;
    const others = restrictions.filter((one) => one !== cause);
    return {
      at,
      effect: { kind: "stop", code, reason: boundedText(reason), until: cause?.until ?? null },
      told: others.map(({ type, until, remediation }) => ({
        subject: subjectOf("account_update", type),
        words: `${type} ${remediation}`,
        until,
      })),
    };
  }
  if (names.some((name) => resumptions.has(name))) return { at, effect: { kind: "resume" }, told: [] };
  const about =
    textMember(member(value, "violation_info"), "violation_type")?.replace(step, "") ?? (ban === "" ? event : "DISABLED_UPDATE");
  const until = restrictions.flatMap((one) => one.until ?? []).toSorted((a, b) => b.getTime() - a.getTime())[0] ?? null;
  const effect = names.includes(utilityRestriction) ? ({ kind: "read_templates" } as const) : null;
  return { at, effect, told: [{ subject: subjectOf("account_update", about), words: wordsOf(value), until }] };
}

const subjectOf = (field: string, about: string): string => boundedText(`${field} ${about}`.trim()).slice(0, 200);

const mostWords = 400;

/** The members in the platform's own words; times that are read stand beside. */
function wordsOf(value: unknown): string {
  const words = (key: string, inner: unknown): string[] => {
    if (Array.isArray(inner)) return inner.flatMap((each) => words(key, each));
    if (typeof inner === "object" && inner !== null) return Object.entries(inner).flatMap(([name, each]) => words(name, each));
    const word = typeof inner === "boolean" ? String(inner) : idMember({ inner }, "inner");
    return word === undefined || key === "expiration" ? [] : [key === "event" ? word : `${key} ${word}`];
  };
  return boundedText(words("", value).join(", ")).slice(0, mostWords);
}

/** The years 2001 and 2100 in seconds. A time outside is no plausible time in seconds (milliseconds, for example). */
const earliest = 1_000_000_000;
const latest = 4_102_444_800;

/** Reads Unix seconds from a string or a number; null when missing or implausible. */
export function timeMember(value: unknown, key: string): Date | null {
  const number = member(value, key);
  const seconds = typeof number === "number" ? Math.floor(number) : Number(/^\d{1,12}$/.exec(idMember(value, key) ?? "")?.[0] ?? NaN);
  return seconds >= earliest && seconds < latest ? new Date(seconds * 1_000) : null;
}
