import { Button, Card, Group, NativeSelect, NumberInput, Stack, Text, TextInput, Switch } from "@mantine/core";
import { updateSiteInput } from "shared/core/input/sites";
import { type SourceType } from "shared/core/site";
import { trpc } from "../../trpc.ts";
import { Fact, Facts } from "../../ui/facts.tsx";
import { PhoneInput, UnsavedGuard } from "../../ui/inputs.tsx";
import { sourceTypeChoices, sourceTypeLabels } from "../../ui/labels.ts";
import { FailureNotice, readableMessage } from "../../ui/page-states.tsx";
import { Section } from "../../ui/page.tsx";
import { useInputForm } from "../../ui/use-input-form.ts";
import { type Site, useKeepSite } from "./use-site.ts";

export function DetailsForm({ site }: { site: Site }) {
  const update = trpc.sites.update.useMutation({ onSuccess: useKeepSite() });
  const { form, refusal, onSubmit } = useInputForm({
    schema: updateSiteInput,
    initialValues: detailsOf(site),
    toInput: (values) => detailsInput(site.id, values),
    submit: update.mutateAsync,
  });
  return (
    <Card withBorder component="form" onSubmit={onSubmit} onInput={update.reset} noValidate>
      <UnsavedGuard isUnsaved={form.isDirty} />
      <Stack gap="md">
        {refusal !== null && <FailureNotice title="The details were not saved" error={refusal} />}
        <TextInput label="Name" autoComplete="off" required {...form.getInputProps("name")} />
        <TextInput label="URL" type="url" autoComplete="off" required {...form.getInputProps("url")} />
        <NativeSelect
          label="Source type"
          description="Also what the address to post to says; older addresses keep working"
          data={sourceTypeChoices}
          {...form.getInputProps("sourceType")}
        />
        <PhoneInput
          label="Test phone"
          description="Test events go to it alone; without one they reach nobody"
          {...form.getInputProps("testPhone")}
        />
        <NumberInput
          label="Requests a second, at most"
          description="More are refused with 429, to be posted again. Empty: no limit"
          min={1}
          max={1_000_000}
          clampBehavior="none"
          allowDecimal={false}
          allowNegative={false}
          hideControls
          {...form.getInputProps("rateLimitPerSecond")}
        />
        <Group justify="flex-end" gap="sm">
          <Text size="sm" c="dimmed" role="status">
            {update.isSuccess && "Saved"}
          </Text>
          <Button type="submit" loading={update.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </Card>
  );
}

/** What the fields hold: nothing is the empty text. */
interface Details extends Record<string, unknown> {
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

/** What the site is, for whoever may not change it. */
export function SiteFacts({ site }: { site: Site }) {
  return (
    <Card withBorder>
      <Facts>
        <Fact name="State">{site.enabled ? "enabled" : "disabled: events are refused"}</Fact>
        <Fact name="Source type">{sourceTypeLabels[site.sourceType]}</Fact>
        <Fact name="Test phone">{site.testPhone ?? "none"}</Fact>
        <Fact name="Timestamp">{site.requireTimestamp ? "required" : "may be left out"}</Fact>
        <Fact name="Rate limit">{site.rateLimitPerSecond === null ? "none" : `${site.rateLimitPerSecond} requests a second`}</Fact>
      </Facts>
    </Card>
  );
}

/** What is let in. Each says what comes of it as it stands. */
export function SiteSwitches({ site }: { site: Site }) {
  return (
    <Section title="Intake">
      <Card withBorder>
        <Stack gap="lg">
          <SiteSwitch
            site={site}
            member="enabled"
            label="Enabled"
            on="Events are taken and their messages go out. Switched off, events are refused with 403 and nothing is sent or kept: the backend has to post them again."
            off="Events are refused with 403 and nothing is sent or kept: the backend has to post them again later."
          />
          <SiteSwitch
            site={site}
            member="requireTimestamp"
            label="Require a timestamp"
            on="A request without X-Service-Timestamp is refused with 401, so that nobody can post a recorded one again later."
            off="A request may leave out X-Service-Timestamp. With it, it may be 5 minutes off at most."
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
  /** What it means as it stands. */
  on: string;
  off: string;
}

/** Shows what was chosen at once; refused, it is back as the server holds it, with the reason. */
function SiteSwitch({ site, member, label, on, off }: SiteSwitchProps) {
  const update = trpc.sites.update.useMutation({ onSuccess: useKeepSite() });
  const checked = update.isPending ? update.variables[member] === true : site[member];
  return (
    <Switch
      label={label}
      description={checked ? on : off}
      checked={checked}
      error={update.error && `It stays as it was: ${readableMessage(update.error.message)}`}
      onChange={(event) => update.mutate({ id: site.id, [member]: event.currentTarget.checked })}
    />
  );
}
