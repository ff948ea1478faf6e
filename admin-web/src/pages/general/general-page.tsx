import { Card, Group, Select, Stack, Switch, Text, TextInput } from "@mantine/core";
import { useMemo, useEffect, useState } from "react";
import { renameAccountInput, updateSettingsInput } from "shared/core/input/sites";
import { formatTimeIn } from "../../format.ts";
import { useMay, useMe, WithSettings } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { Fact, Facts } from "../../ui/facts.tsx";
import { by, FormButtons, InputForm, useInputForm } from "../../ui/input-form.tsx";
import { timeZoneChoices, zoneLabel } from "../../ui/labels.ts";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { AllowedAddresses } from "./allowed-addresses.tsx";
import { EncryptionSection } from "./encryption.tsx";
import { PaceSection } from "./pace.tsx";
import { SingleSignOn } from "./single-sign-on.tsx";

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
              <Fact name="Account ID">{account.id}</Fact>
            </Facts>
          </Stack>
        </Card>
      </Section>
      <Section title="Time zone" lead="One time zone for the whole account.">
        <Card withBorder>
          <WithSettings>
            {({ timezone }) => (mayChange ? <TimeZoneForm timezone={timezone} /> : <TimeZoneFact timezone={timezone} />)}
          </WithSettings>
        </Card>
      </Section>
      <PaceSection />
      <Section title="Second factor" lead="An authenticator app or a passkey beside the password.">
        <Card withBorder>
          <WithSettings>
            {({ requireSecondFactor }) =>
              mayRename ? <SecondFactorSwitch isRequired={requireSecondFactor} /> : <Text>{requirementWords(requireSecondFactor)}</Text>
            }
          </WithSettings>
        </Card>
      </Section>
      {mayRename && <WithSettings>{(settings) => <SingleSignOn {...settings} />}</WithSettings>}
      {mayRename && (
        <Section title="Allowed addresses" lead="Networks from which the dashboard and access tokens may be used.">
          <Card withBorder>
            <WithSettings>
              {({ allowedAddresses, yourAddress }) =>
                allowedAddresses !== null && <AllowedAddresses lists={allowedAddresses} yourAddress={yourAddress} />
              }
            </WithSettings>
          </Card>
        </Section>
      )}
      <EncryptionSection />
    </Page>
  );
}

const requirementWords = (isRequired: boolean): string =>
  isRequired ? "Everybody in this account needs one." : "Everybody in this account may set one up.";

/** Takes effect at once, for who demands it too. */
function SecondFactorSwitch({ isRequired }: { isRequired: boolean }) {
  const cache = trpc.useUtils();
  const { way, secondFactor } = useMe();
  const needsNone = way === "sso" || secondFactor.totp || secondFactor.passkeys > 0;
  const update = trpc.settings.update.useMutation({
    onSuccess: async (settings) => {
      cache.settings.get.setData(undefined, settings);
      await cache.auth.me.invalidate();
    },
  });
  return (
    <Stack gap="sm">
      {update.error !== null && <FailureNotice title="The setting was not changed" error={update.error} />}
      <Switch
        label="Require a second factor"
        description={`People without one${needsNone ? "" : ", you included,"} can do nothing else until they have set one up. Access tokens keep working.`}
        checked={update.isPending ? !isRequired : isRequired}
        disabled={update.isPending}
        onChange={(event) => update.mutate({ requireSecondFactor: event.currentTarget.checked })}
      />
    </Stack>
  );
}

function AccountNameForm({ name }: { name: string }) {
  const cache = trpc.useUtils();
  const rename = trpc.settings.renameAccount.useMutation({
    onSuccess: ({ account }) =>
      cache.auth.me.setData(
        undefined,
        (me) => me && { ...me, account, accounts: me.accounts.map((each) => (each.id === account.id ? { ...each, ...account } : each)) },
      ),
  });
  const form = useInputForm({
    initialValues: { name },
    toInput: (values) => values,
    check: by(renameAccountInput),
    submit: rename.mutateAsync,
  });
  return (
    <InputForm form={form} label="Account name" failure="The account was not renamed">
      <TextInput
        label="Name"
        description="Shown at the top of every page. WhatsApp and your customers do not see it."
        maw="26rem"
        autoComplete="organization"
        {...form.at("name")}
      />
      <FormButtons form={form} submit="Save name" saved="Saved" />
    </InputForm>
  );
}

function TimeZoneForm({ timezone }: { timezone: string }) {
  const choices = useMemo(() => timeZoneChoices(timezone), [timezone]);
  const cache = trpc.useUtils();
  const update = trpc.settings.update.useMutation({ onSuccess: (settings) => cache.settings.get.setData(undefined, settings) });
  const form = useInputForm({
    initialValues: { timezone },
    toInput: (values) => values,
    check: by(updateSettingsInput),
    submit: update.mutateAsync,
  });
  return (
    <InputForm form={form} label="Time zone" failure="The time zone was not changed">
      <div>
        <TimeZoneFact timezone={timezone} />
      </div>
      <Select
        label="Time zone"
        placeholder="A city or a region"
        maw="26rem"
        data={choices}
        searchable
        allowDeselect={false}
        nothingFoundMessage="No such time zone: try a larger city nearby"
        // Hundreds of options with a clock each: drawn when they are asked for.
        comboboxProps={{ keepMounted: false }}
        renderOption={({ option }) => <TimeZoneOption {...option} />}
        {...form.at("timezone")}
      />
      <FormButtons form={form} submit="Save time zone" saved="Saved. It applies to new messages." />
    </InputForm>
  );
}

/** The time zone and its use. */
function TimeZoneFact({ timezone }: { timezone: string }) {
  const now = useNow();
  return (
    <>
      <Text>
        <strong>{zoneLabel(timezone)}</strong>, where it is {formatTimeIn(timezone, now)}.
      </Text>
      <Text size="sm" c="dimmed" mt={4} maw="40rem">
        Schedules, messages with today&apos;s date or the time (<code>date.today</code>, <code>date.now</code>) and the days of the overview
        use it. Times in lists use each reader&apos;s own time zone.
      </Text>
    </>
  );
}

const stepMs = 10_000;

/** The current time in milliseconds, close enough for a clock without seconds. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), stepMs);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** A time zone with its current time. */
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
