import type { Conditions } from "shared/core/conditions";
import type { OptOutScope, OptOutSource } from "shared/core/message";
import { describeCondition, describeReason, type Reason } from "shared/core/reason";
import type { RecipientStrategy } from "shared/core/recipient";
import { type SiteMode, type SourceType, sourceTitles, sourceTypes } from "shared/core/site";
import { shorten } from "shared/core/text";
import { isolated, t, translated } from "../../language.ts";
import labels from "./labels.json";

/** The recipients of a binding's messages. */
export const recipientLabels: Record<RecipientStrategy["strategy"], string> = tableOf(labels.recipients);

/** The label, with the phone number or the path. */
export function describeRecipient(recipient: RecipientStrategy): string {
  const name = recipientLabels[recipient.strategy];
  if ("phone" in recipient) return `${name}: ${isolated(recipient.phone)}`;
  return "path" in recipient ? `${name}: ${isolated(recipient.path)}` : name;
}

/** The reason why a message failed, in the reader's language if the service itself found it. */
export const toldReason = ({ errorReason, errorReasonCode }: { errorReason: string | null; errorReasonCode: Reason | null }) =>
  errorReasonCode === null ? errorReason && translated(errorReason) : describeReason(errorReasonCode, t);

/** The failure in few words, as problems name it: `The recipient is the sender · 131021`. A server of an earlier version tells the code alone. */
export const namedReason = ({ errorTitle, errorCode }: { errorTitle?: string | null; errorCode: string | null }): string | null =>
  errorTitle == null ? errorCode : `${translated(errorTitle)} · ${isolated(errorCode ?? "")}`;

/** The text of an explanation in the reader's language. */
export const toldExplanation = ({ text, reasonCode }: { text: string; reasonCode?: Reason | null | undefined }): string =>
  reasonCode == null ? translated(text) : describeReason(reasonCode, t);

/** The conditions of a binding: `order.total is at least “100” and order.coupon is missing`. Of many values and rules only the first. */
export function describeConditions({ match, rules }: Conditions): string {
  const clauses = rules.slice(0, shownRules).map(({ path, op, value }) => {
    const values = value === undefined ? [] : [value].flat();
    const more = values.length > shownValues ? ", …" : "";
    return describeCondition({ path, op, values: values.slice(0, shownValues).map((each) => shorten(String(each), 60)) }, t) + more;
  });
  const more = rules.length - clauses.length;
  return [...clauses, ...(more > 0 ? [t("{more} more", { more })] : [])].join(match === "all" ? t(" and ") : t(" or "));
}

const shownRules = 5;
const shownValues = 3;

/** Products keep their names in every language. */
export const sourceTypeLabels: Record<SourceType, string> = { ...sourceTitles, generic: t("Generic") };

/** The name of a site, marked for a test site. */
export const siteTitle = ({ name, mode }: { name: string; mode: SiteMode }) => (mode === "test" ? t("{name} (test)", { name }) : name);

export const sourceTypeChoices = sourceTypes.map((value) => ({
  value,
  label: value === "generic" ? t("Generic: any other backend") : sourceTypeLabels[value],
}));

/** The reason why a binding has not fired for long although its event came. */
export function describeIdle({ event, conditions, dueAt }: { event: string; conditions: Conditions | null; dueAt: object | null }): string {
  if (dueAt === null) return t("{event} arrived, but never met the conditions.", { event });
  return t("{event} arrived, but its date was never in the future{value}.", {
    event,
    value: conditions === null ? "" : t(", or never met the conditions"),
  });
}

/** Every time zone that the browser knows and `stored`, UTC first. */
export const timeZoneChoices = (stored: string) =>
  Array.from(new Set(["UTC", stored, ...Intl.supportedValuesOf("timeZone")]), (value) => ({ value, label: zoneLabel(value) }));

export const zoneLabel = (zone: string): string => zone.replaceAll("_", " ");

/** The messages that a person does not want. */
export const optOutScopeLabels: Record<OptOutScope, string> = { marketing: t("Marketing"), all: t("All messages") };

/** The ways in which an opt-out became known. */
export const optOutSourceLabels: Record<OptOutSource, string> = tableOf(labels.optOutSources);

/** The choices that a table of texts makes, by its keys. */
export const choicesOf = (table: Record<string, string>) => Object.entries(tableOf(table)).map(([value, label]) => ({ value, label }));

/** A table of texts, which is data, in the reader's language. */
export function tableOf<Table>(table: Table): Table {
  return JSON.parse(JSON.stringify(table), (_key, value: unknown) => (typeof value === "string" ? translated(value) : value)) as Table;
}
