import type { Conditions } from "shared/core/conditions";
import { describeCondition } from "shared/core/reason";
import type { RecipientStrategy } from "shared/core/recipient";
import type { Role } from "shared/core/role";
import { type SourceType, sourceTypes } from "shared/core/site";
import { shorten } from "shared/core/text";

/** Who gets a binding's message. */
export const recipientLabels: Record<RecipientStrategy["strategy"], string> = {
  customer: "The customer",
  site_recipients: "The site's recipients",
  test: "The site's test phone",
  static_phone: "One fixed phone",
  field_path: "A phone in the event",
};

/** The label, with the phone number or the path. */
export function describeRecipient(recipient: RecipientStrategy): string {
  const name = recipientLabels[recipient.strategy];
  if (recipient.strategy === "static_phone") return `${name}: ${recipient.phone}`;
  return recipient.strategy === "field_path" ? `${name}: ${recipient.path}` : name;
}

/** When a binding fires: `order.total is at least “100” and order.coupon is missing`. Of many values and rules the first. */
export function describeConditions({ match, rules }: Conditions): string {
  const clauses = rules.slice(0, shownRules).map(({ path, op, value }) => {
    const values = value === undefined ? [] : [value].flat();
    const more = values.length > shownValues ? ", …" : "";
    return (
      describeCondition(
        path,
        op,
        values.slice(0, shownValues).map((each) => shorten(String(each), 60)),
      ) + more
    );
  });
  const more = rules.length - clauses.length;
  return [...clauses, ...(more > 0 ? [`${more} more`] : [])].join(match === "all" ? " and " : " or ");
}

const shownRules = 5;
const shownValues = 3;

/** What each role may do. */
export const roleLabels: Record<Role, string> = {
  viewer: "View only; phone numbers hidden",
  operator: "Manages sites, bindings and templates",
  owner: "Full access, including team",
};

export const sourceTypeLabels: Record<SourceType, string> = {
  woocommerce: "WooCommerce",
  shopify: "Shopify",
  generic: "Generic",
};

export const sourceTypeChoices = sourceTypes.map((value) => ({
  value,
  label: value === "generic" ? "Generic: any other backend" : sourceTypeLabels[value],
}));

/** Why a binding has not fired for long although its event came. */
export function describeIdle({ event, conditions, dueAt }: { event: string; conditions: Conditions | null; dueAt: object | null }): string {
  if (dueAt === null) return `${event} came, but never met the conditions.`;
  return `${event} came, but never with a date to come${conditions === null ? "" : ", or never met the conditions"}.`;
}

/** Every time zone that the browser knows and `stored`, UTC first. */
export function timeZoneChoices(stored: string): { value: string; label: string }[] {
  const zones = new Set(["UTC", stored, ...Intl.supportedValuesOf("timeZone")]);
  return Array.from(zones, (value) => ({ value, label: zoneLabel(value) }));
}

export const zoneLabel = (zone: string): string => zone.replaceAll("_", " ");
