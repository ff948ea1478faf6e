import { Switch, TextInput } from "@mantine/core";
import { limits, timesToLive } from "shared/core/template/platform-limits";
import { t } from "../../language.ts";
import { Section } from "../../ui/page.tsx";
import type { CodeValues } from "./draft.ts";
import { FieldNote } from "./fields.tsx";
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
      {...form.mark("ttlSeconds")}
      value={form.values.ttl}
      onChange={({ currentTarget: { value } }) => form.change({ ttl: value })}
    />
  );
}

/** What can be chosen of a template of one-time codes. */
export function CodeFields({ form }: { form: TemplateForm }) {
  const { codes } = form.values;
  const change = (changes: Partial<CodeValues>) => form.change({ codes: { ...codes, ...changes } });
  return (
    <Section title={t("One-time code")} lead={t("The preview shows the English text. WhatsApp sends it in the template's language.")}>
      <Switch
        label={t("Advise not to share the code")}
        checked={codes.advises}
        onChange={({ currentTarget: { checked } }) => change({ advises: checked })}
      />
      <TextInput
        label={t("Code expires after (minutes)")}
        type="number"
        w="12rem"
        description={t("1 to {most}; empty: the message does not say.", { most: limits.codeMinutes })}
        min={1}
        max={limits.codeMinutes}
        {...form.mark("authentication.codeExpirationMinutes")}
        value={codes.minutes}
        onChange={({ currentTarget: { value } }) => change({ minutes: value })}
      />
      <TextInput
        label={t("Label of the copy button")}
        description={<FieldNote text={codes.buttonText} limit={limits.buttonText} />}
        dir="auto"
        autoComplete="off"
        {...form.mark("authentication.buttonText")}
        value={codes.buttonText}
        onChange={({ currentTarget: { value } }) => change({ buttonText: value })}
      />
    </Section>
  );
}
