import { Card, NativeSelect, Switch } from "@mantine/core";
import { countries } from "shared/core/country";
import { updateSiteInput } from "shared/core/input/sites";
import { trpc } from "../../trpc.ts";
import { by, FormButtons, InputForm, useInputForm } from "../../ui/input-form.tsx";
import { Section } from "../../ui/page.tsx";
import { type Site, useKeepSite } from "./use-site.ts";

/** How phones as people type them are read. */
export function PhonesSection({ site }: { site: Site }) {
  const update = trpc.sites.update.useMutation({ onSuccess: useKeepSite() });
  const form = useInputForm({
    initialValues: { country: site.country ?? "", normalizePhones: site.normalizePhones },
    toInput: ({ country, normalizePhones }) => ({
      id: site.id,
      country: country === "" ? null : country,
      // Said again, it would count for events that the backend posts too.
      ...(normalizePhones !== site.normalizePhones && { normalizePhones }),
    }),
    check: by(updateSiteInput),
    submit: update.mutateAsync,
  });
  return (
    <Section title="Phone numbers">
      <Card withBorder>
        <InputForm form={form} label="Phone numbers" failure="The phone numbers' settings were not saved">
          <Switch
            label="Complete numbers"
            description={
              form.values.normalizePhones
                ? "Numbers as people type them, such as 0171 2345678, get their country code."
                : "Only numbers with + and the country code get messages; others are dropped and named in the event."
            }
            checked={form.values.normalizePhones}
            onChange={(event) => form.change({ normalizePhones: event.currentTarget.checked })}
          />
          <NativeSelect
            label="Country"
            description="Of numbers without a country code, where the event does not tell the customer's"
            data={countryChoices()}
            {...form.at("country")}
          />
          <FormButtons form={form} submit="Save" saved="Saved" />
        </InputForm>
      </Card>
    </Section>
  );
}

function countryChoices() {
  const names = new Intl.DisplayNames(undefined, { type: "region" });
  const choices = countries.map((value) => ({ value, label: names.of(value) ?? value }));
  return [{ value: "", label: "None" }, ...choices.toSorted((a, b) => a.label.localeCompare(b.label))];
}
