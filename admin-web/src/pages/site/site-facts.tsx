import { Card } from "@mantine/core";
import { formatCount } from "../../format.ts";
import { t } from "../../language.ts";
import { Facts } from "../../ui/base/facts.tsx";
import { sourceTypeLabels, tableOf } from "../../ui/base/labels.ts";
import type { ToldField } from "../../ui/form/conflict.tsx";
import labels from "./labels.json";
import type { Site } from "./use-site.ts";

/** The fields; an empty text for nothing. */
export const detailsOf = ({ name, url, sourceType, testPhone, rateLimitPerSecond, idempotencyHours }: Site) => ({
  name,
  url,
  sourceType,
  testPhone: testPhone ?? "",
  rateLimitPerSecond: rateLimitPerSecond ?? ("" as const),
  idempotencyHours: idempotencyHours ?? ("" as const),
});
export type Details = ReturnType<typeof detailsOf>;

export const detailFields = tableOf(labels.fields);

export function tellDetails(values: Details): ToldField[] {
  const { rateLimitPerSecond: limit, idempotencyHours: hours } = values;
  const words: Record<keyof Details, string> = {
    ...values,
    sourceType: sourceTypeLabels[values.sourceType],
    testPhone: values.testPhone || t("None"),
    rateLimitPerSecond: limit === "" ? t("None") : formatCount(limit),
    idempotencyHours: hours === "" ? t("5 minutes") : t("{idempotencyHours} hours", { idempotencyHours: hours }),
  };
  return Object.entries(detailFields).map(([name, { label }]) => ({ name: label, text: words[name as keyof Details], at: [name] }));
}

/** The settings for roles that cannot change the site. Its name is the page's title. */
export const SiteFacts = ({ site }: { site: Site }) => (
  <Card>
    <Facts told={[...tellSwitches(site), ...tellDetails(detailsOf(site)).slice(1), ...tellPhones(phonesOf(site))]} />
  </Card>
);

const tellSwitches = ({ enabled, holdMessages, requireSignedTimestamp, requireTimestamp }: Site) => [
  { name: t("Events"), text: enabled ? t("Accepted") : t("Refused") },
  { name: t("Sending"), text: holdMessages ? t("Paused") : t("On") },
  { name: t("Timestamp"), text: requireSignedTimestamp ? t("Signed") : requireTimestamp ? t("Required") : t("Optional") },
];

export const phonesOf = ({ country, normalizePhones }: Site) => ({ country: country ?? "", normalizePhones, stored: normalizePhones });

export const tellPhones = ({ country, normalizePhones }: ReturnType<typeof phonesOf>): ToldField[] => [
  { name: t("Add country codes"), text: normalizePhones ? t("On") : t("Off"), at: ["normalizePhones"] },
  { name: t("Country"), text: country || t("None"), at: ["country"] },
];
