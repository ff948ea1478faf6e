import { Card, NativeSelect, NumberInput, Stack, Switch, TextInput } from "@mantine/core";
import { updateSiteInput } from "shared/core/input/sites";
import { type SourceType } from "shared/core/site";
import { formatCount } from "../../format.ts";
import { trpc } from "../../trpc.ts";
import { Fact, Facts } from "../../ui/facts.tsx";
import { by, FormButtons, InputForm, useInputForm } from "../../ui/input-form.tsx";
import { PhoneInput } from "../../ui/inputs.tsx";
import { sourceTypeChoices, sourceTypeLabels } from "../../ui/labels.ts";
import { readableMessage } from "../../ui/page-states.tsx";
import { Section } from "../../ui/page.tsx";
import { type Site, useKeepSite } from "./use-site.ts";

export function DetailsForm({ site }: { site: Site }) {
  const update = trpc.sites.update.useMutation({ onSuccess: useKeepSite() });
  const form = useInputForm({
    initialValues: detailsOf(site),
    toInput: (values) => detailsInput(site.id, values),
    check: by(updateSiteInput),
    submit: update.mutateAsync,
  });
  return (
    <Card withBorder>
      <InputForm form={form} failure="The details were not saved">
        <TextInput label="Name" autoComplete="off" required {...form.at("name")} />
        <TextInput label="URL" type="url" autoComplete="off" required {...form.at("url")} />
        <NativeSelect
          label="Source type"
          description="Used in the endpoint URL; old URLs still work"
          data={sourceTypeChoices}
          {...form.at("sourceType")}
        />
        <PhoneInput
          label="Test phone"
          description="Test events go only to this phone; without one they reach nobody"
          {...form.at("testPhone")}
        />
        <NumberInput
          label="Requests per second"
          description="Requests above the limit are refused with 429. Empty: no limit"
          min={1}
          max={1_000_000}
          clampBehavior="none"
          allowDecimal={false}
          allowNegative={false}
          hideControls
          {...form.at("rateLimitPerSecond")}
        />
        <FormButtons form={form} submit="Save details" saved="Saved" />
      </InputForm>
    </Card>
  );
}

/** The fields; an empty text for nothing. */
interface Details {
  name: string;
  url: string;
  sourceType: SourceType;
  testPhone: string;
  rateLimitPerSecond: number | "";
}

const detailsOf = ({ name, url, sourceType, testPhone, rateLimitPerSecond }: Site): Details => ({
  name,
  url,
  sourceType,
  testPhone: testPhone ?? "",
  rateLimitPerSecond: rateLimitPerSecond ?? "",
});

const detailsInput = (id: string, { name, url, sourceType, testPhone, rateLimitPerSecond }: Details) => ({
  id,
  name,
  url,
  sourceType,
  testPhone: testPhone === "" ? null : testPhone,
  rateLimitPerSecond: rateLimitPerSecond === "" ? null : rateLimitPerSecond,
});

/** For roles that cannot change the site. */
export function SiteFacts({ site }: { site: Site }) {
  return (
    <Card withBorder>
      <Facts>
        <Fact name="Status">{site.enabled ? "Enabled" : "Disabled: events are refused"}</Fact>
        <Fact name="Source type">{sourceTypeLabels[site.sourceType]}</Fact>
        <Fact name="Test phone">{site.testPhone ?? "None"}</Fact>
        <Fact name="Timestamp">{site.requireTimestamp ? "Required" : "Optional"}</Fact>
        <Fact name="Rate limit">
          {site.rateLimitPerSecond === null ? "None" : `${formatCount(site.rateLimitPerSecond)} requests per second`}
        </Fact>
      </Facts>
    </Card>
  );
}

export function SiteSwitches({ site }: { site: Site }) {
  return (
    <Section title="Status">
      <Card withBorder>
        <Stack gap="lg">
          <SiteSwitch
            site={site}
            member="enabled"
            label="Enabled"
            on="Events are accepted and their messages are sent."
            off="Events are refused with 403; nothing is stored or sent. The backend has to send them again later."
          />
          <SiteSwitch
            site={site}
            member="requireTimestamp"
            label="Require a timestamp"
            on="Requests without X-Service-Timestamp are refused with 401, so that nobody can replay a recorded one."
            off="Requests without a timestamp are accepted. A timestamp may be at most 5 minutes off."
          />
        </Stack>
      </Card>
    </Section>
  );
}

interface SiteSwitchProps {
  site: Site;
  member: "enabled" | "requireTimestamp";
  label: string;
  /** The meaning of each position. */
  on: string;
  off: string;
}

/** Changes at once; if the server refuses, it goes back and says why. */
function SiteSwitch({ site, member, label, on, off }: SiteSwitchProps) {
  const update = trpc.sites.update.useMutation({ onSuccess: useKeepSite() });
  const checked = update.isPending ? update.variables[member] === true : site[member];
  return (
    <Switch
      label={label}
      description={checked ? on : off}
      checked={checked}
      error={update.error && `Not changed: ${readableMessage(update.error.message)}`}
      onChange={(event) => update.mutate({ id: site.id, [member]: event.currentTarget.checked })}
    />
  );
}
