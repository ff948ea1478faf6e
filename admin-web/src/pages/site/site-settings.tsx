import { NativeSelect, Stack, TextInput } from "@mantine/core";
import { t } from "../../language.ts";
import { sourceTypeChoices } from "../../ui/base/labels.ts";
import { Section } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { IdempotencyHoursInput, WholeNumberInput } from "../../ui/form/idempotency-hours.tsx";
import { InputForm, useInputForm } from "../../ui/form/input-form.tsx";
import { by } from "../../ui/form/input-issues.ts";
import { PhoneInput, UrlInput } from "../../ui/form/inputs.tsx";
import { type Details, detailFields as fields, detailsOf, SiteFacts, tellDetails } from "./site-facts.tsx";
import { DeleteSite, PhonesSection, SiteSwitches } from "./switches.tsx";
import { type Site, useUpdateSite } from "./use-site.ts";

/** The tab of what can be changed. */
export function Settings({ site }: { site: Site }) {
  if (!useMay("operator")) return <SiteFacts site={site} />;
  return (
    <Stack gap="xl" maw="40rem">
      <Section title={t("Details")} isCard>
        <DetailsForm site={site} />
      </Section>
      <SiteSwitches site={site} />
      <PhonesSection site={site} />
      <DeleteSite site={site} />
    </Stack>
  );
}

function DetailsForm({ site }: { site: Site }) {
  const form = useInputForm({
    initialValues: detailsOf(site),
    toInput: ({ testPhone, rateLimitPerSecond, idempotencyHours, ...rest }: Details) => ({
      id: site.id,
      ...rest,
      testPhone: testPhone === "" ? null : testPhone,
      rateLimitPerSecond: rateLimitPerSecond === "" ? null : rateLimitPerSecond,
      idempotencyHours: idempotencyHours === "" ? null : idempotencyHours,
    }),
    check: by("updateSiteInput"),
    submit: useUpdateSite().mutateAsync,
    versioned: { updatedAt: site.updatedAt, fill: (current: Site) => detailsOf(current), tell: tellDetails },
  });
  return (
    <InputForm form={form} failure={t("The details were not saved")} saved={t("Saved")}>
      <TextInput {...fields.name} required {...form.at("name")} />
      <UrlInput {...fields.url} {...form.at("url")} />
      <NativeSelect {...fields.sourceType} data={sourceTypeChoices} {...form.at("sourceType")} />
      <PhoneInput {...fields.testPhone} {...form.at("testPhone")} />
      <WholeNumberInput {...fields.rateLimitPerSecond} min={1} max={1_000_000} {...form.at("rateLimitPerSecond")} />
      <IdempotencyHoursInput {...form.at("idempotencyHours")} />
    </InputForm>
  );
}
