import { Group, NativeSelect, Radio } from "@mantine/core";
import { type SiteMode, type SourceType, sourceTypes } from "shared/core/site";
import { sources } from "shared/core/sources/sources";
import { locale, t } from "../../language.ts";
import { cache, trpc } from "../../trpc.ts";
import { sourceTypeChoices, sourceTypeLabels } from "../../ui/base/labels.ts";
import { IdempotencyHoursInput, suggestedIdempotencyHours } from "../../ui/form/idempotency-hours.tsx";
import { InputForm, useInputForm } from "../../ui/form/input-form.tsx";
import { by } from "../../ui/form/input-issues.ts";
import { NewNameInput, PhoneInput, UrlInput } from "../../ui/form/inputs.tsx";
import { type MadeSite, useMadeSites } from "../../ui/site/made-site.tsx";

const initialValues: {
  name: string;
  url: string;
  sourceType: SourceType;
  mode: SiteMode;
  testPhone: string;
  idempotencyHours: number | "";
} = { name: "", url: "", sourceType: "generic", mode: "live", testPhone: "", idempotencyHours: suggestedIdempotencyHours };

/** Keeps the secrets of the site that it adds, which are shown where its page or "Get started" leads next. `onCancel`: absent if the form cannot be left. */
export function CreateSiteForm({ onMade, onCancel }: { onMade?: (made: MadeSite) => void; onCancel?: () => void }) {
  const { keep } = useMadeSites();
  const create = trpc.sites.create.useMutation();
  const form = useInputForm({
    initialValues,
    toInput: ({ testPhone, idempotencyHours, ...rest }) => ({
      ...rest,
      testPhone: testPhone === "" ? null : testPhone,
      idempotencyHours: idempotencyHours === "" ? null : idempotencyHours,
    }),
    check: by("createSiteInput"),
    submit: create.mutateAsync,
    onSaved: (made) => {
      keep(made);
      onMade?.(made);
      void cache.sites.invalidate();
    },
  });
  return (
    <InputForm form={form} failure={t("The site was not added")} submit={t("Add site")} onCancel={onCancel}>
      <NewNameInput description={t("The name your team uses")} {...form.at("name")} />
      <UrlInput
        label={t("URL")}
        description={t("The shop, clinic or product that sends the events")}
        placeholder="https://shop.example"
        {...form.at("url")}
      />
      <Radio.Group
        label={t("Source type")}
        description={t("{shops} connect without code.", { shops: new Intl.ListFormat(locale).format(shops.toSorted()) })}
        {...form.at("sourceType")}
      >
        <Group gap="md" mt="xs">
          {sourceTypeChoices.map((choice) => (
            <Radio key={choice.value} {...choice} />
          ))}
        </Group>
      </Radio.Group>
      <NativeSelect
        label={t("Messages go to")}
        description={t("A test site's messages reach nobody. This cannot be changed later.")}
        data={[
          { value: "live", label: t("WhatsApp (live)") },
          { value: "test", label: t("the sandbox (test)") },
        ]}
        {...form.at("mode")}
      />
      <PhoneInput label={t("Test phone")} description={t("Optional: test events go only to this phone.")} {...form.at("testPhone")} />
      <details open={form.faults["idempotencyHours"] !== undefined || undefined}>
        <summary>{t("Advanced")}</summary>
        <IdempotencyHoursInput mt="xs" {...form.at("idempotencyHours")} />
      </details>
    </InputForm>
  );
}

/** Those whose topics mean events by themselves. */
const shops = sourceTypes.filter((type) => sources[type].events !== null).map((type) => sourceTypeLabels[type]);
