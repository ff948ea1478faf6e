import { Card, Stack, Button, Group, Text, TextInput, Select } from "@mantine/core";
import { useMemo, useEffect, useState } from "react";
import { renameAccountInput, updateSettingsInput } from "shared/core/input/sites";
import { formatTimeIn } from "../../format.ts";
import { useMay, useMe, WithSettings } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { Fact, Facts } from "../../ui/facts.tsx";
import { UnsavedGuard } from "../../ui/inputs.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { useInputForm } from "../../ui/use-input-form.ts";

export function GeneralPage() {
  const { account } = useMe();
  const mayRename = useMay("owner");
  const mayChange = useMay("operator");
  return (
    <Page title="General">
      <Section title="Account">
        <Card withBorder>
          <Stack gap="lg">
            {mayRename && <AccountNameForm name={account.name} />}
            <Facts>
              {!mayRename && <Fact name="Name">{account.name}</Fact>}
              <Fact name="Account id">{account.id}</Fact>
            </Facts>
          </Stack>
        </Card>
      </Section>
      <Section title="Time zone" lead="One zone for the whole account, whoever looks and wherever.">
        <Card withBorder>
          <WithSettings>
            {({ timezone }) => (mayChange ? <TimeZoneForm timezone={timezone} /> : <TimeZoneFact timezone={timezone} />)}
          </WithSettings>
        </Card>
      </Section>
    </Page>
  );
}

function AccountNameForm({ name }: { name: string }) {
  const cache = trpc.useUtils();
  const rename = trpc.settings.renameAccount.useMutation({
    onSuccess: ({ account }) => cache.auth.me.setData(undefined, (me) => me && { ...me, account }),
  });
  const { form, refusal, onSubmit } = useInputForm({
    schema: renameAccountInput,
    initialValues: { name },
    toInput: (values) => values,
    submit: rename.mutateAsync,
  });
  return (
    <form onSubmit={onSubmit} aria-label="Name of the account" noValidate>
      <UnsavedGuard isUnsaved={form.isDirty} />
      <Stack gap="md">
        {refusal !== null && <FailureNotice title="The account was not renamed" error={refusal} />}
        <TextInput
          key={form.key("name")}
          label="Name"
          description="Stands above the pages, for everybody in the account. The platform and your customers do not see it."
          maw="26rem"
          autoComplete="organization"
          {...form.getInputProps("name")}
        />
        <Group gap="sm">
          <Button type="submit" loading={rename.isPending}>
            Save the name
          </Button>
          <Text size="sm" role="status">
            {rename.isSuccess && "Saved."}
          </Text>
        </Group>
      </Stack>
    </form>
  );
}

function TimeZoneForm({ timezone }: { timezone: string }) {
  const choices = useMemo(() => timeZoneChoices(timezone), [timezone]);
  const cache = trpc.useUtils();
  const update = trpc.settings.update.useMutation({ onSuccess: (settings) => cache.settings.get.setData(undefined, settings) });
  const { form, refusal, onSubmit } = useInputForm({
    schema: updateSettingsInput,
    initialValues: { timezone },
    toInput: (values) => values,
    submit: update.mutateAsync,
  });
  return (
    <form onSubmit={onSubmit} aria-label="Time zone" noValidate>
      <UnsavedGuard isUnsaved={form.isDirty} />
      <Stack gap="md">
        {refusal !== null && <FailureNotice title="The time zone was not changed" error={refusal} />}
        <div>
          <TimeZoneFact timezone={timezone} />
        </div>
        <Select
          key={form.key("timezone")}
          label="Time zone"
          placeholder="A city or a region"
          maw="26rem"
          data={choices}
          searchable
          allowDeselect={false}
          nothingFoundMessage="No such zone: try a larger city nearby"
          renderOption={({ option }) => <TimeZoneOption {...option} />}
          {...form.getInputProps("timezone")}
        />
        <Group gap="sm">
          <Button type="submit" loading={update.isPending}>
            Save the time zone
          </Button>
          <Text size="sm" role="status">
            {update.isSuccess && "Saved. It holds from the next message on."}
          </Text>
        </Group>
      </Stack>
    </form>
  );
}

/** The zone, and what it is for. */
function TimeZoneFact({ timezone }: { timezone: string }) {
  const now = useNow();
  return (
    <>
      <Text>
        <strong>{zoneLabel(timezone)}</strong>, where it is {formatTimeIn(timezone, now)} now.
      </Text>
      <Text size="sm" c="dimmed" mt={4} maw="40rem">
        Messages that name today&apos;s date or the time (<code>date.today</code>, <code>date.now</code>) take them from here, and the days
        of the overview begin and end here. Times in lists are shown in each reader&apos;s own zone.
      </Text>
    </>
  );
}

/** Every zone of the time zone database that this browser knows, UTC first, as choices whose labels people can search. `stored` is among them. */
export function timeZoneChoices(stored: string): { value: string; label: string }[] {
  const zones = new Set(["UTC", stored, ...Intl.supportedValuesOf("timeZone")]);
  return Array.from(zones, (value) => ({ value, label: zoneLabel(value) }));
}

const zoneLabel = (zone: string): string => zone.replaceAll("_", " ");

const stepMs = 10_000;

/** The present time, in milliseconds, followed closely enough for clocks without seconds. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), stepMs);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** A zone with the time that it is there. */
function TimeZoneOption({ value, label }: { value: string; label: string }) {
  const [time] = useState(() => formatTimeIn(value, Date.now()));
  return (
    <Group justify="space-between" gap="sm" wrap="nowrap" flex={1}>
      <span>{label}</span>
      <Text span size="xs" c="dimmed">
        {time}
      </Text>
    </Group>
  );
}
