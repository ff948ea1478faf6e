import { Switch, TextInput } from "@mantine/core";
import { limits, timesToLive } from "shared/core/template/platform-limits";
import { t } from "../../language.ts";
import { Section } from "../../ui/base/page.tsx";
import { noted } from "./fields.tsx";
import type { TemplateForm } from "./use-editing.ts";

/** How long messages may take to arrive. */
export function TimeToLive({ form }: { form: TemplateForm }) {
  const { category } = form.values;
  const { least, most, endless } = timesToLive[category] ?? { least: 30, most: 43_200 };
  return (
    <TextInput
      label={t("Time to live")}
      type="number"
      w="12rem"
      description={[
        endless === true
          ? t("Seconds, {least, number} to {most, number}, or -1 for 30 days; empty: WhatsApp's default.", { least, most })
          : t("Seconds, {least, number} to {most, number}; empty: WhatsApp's default.", { least, most }),
        category === "MARKETING" && t("It counts only where marketing goes through the Marketing Messages API."),
        t("What has not arrived by then is dropped."),
      ]
        .filter(Boolean)
        .join(" ")}
      {...form.at("ttlSeconds")}
    />
  );
}

/** What can be chosen of a template of one-time codes. */
export function CodeFields({ form }: { form: TemplateForm }) {
  const { addSecurityRecommendation } = form.values.authentication;
  return (
    <Section title={t("One-time code")} lead={t("The preview shows the English text. WhatsApp sends it in the template's language.")}>
      <Switch
        label={t("Advise not to share the code")}
        checked={addSecurityRecommendation}
        onChange={form.at("authentication.addSecurityRecommendation").onChange}
      />
      <TextInput
        label={t("Code expires after (minutes)")}
        type="number"
        w="12rem"
        description={t("1 to {most}; empty: the message does not say.", { most: limits.codeMinutes })}
        min={1}
        max={limits.codeMinutes}
        {...form.at("authentication.codeExpirationMinutes")}
      />
      <TextInput label={t("Label of the copy button")} dir="auto" {...noted(form, "authentication.buttonText", limits.buttonText)} />
    </Section>
  );
}
