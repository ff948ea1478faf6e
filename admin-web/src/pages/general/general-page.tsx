import { Card, Group, Select, Stack, Switch, Text, TextInput, NumberInput } from "@mantine/core";
import { useMemo, useEffect, useState } from "react";
import { renameAccountInput, updateSettingsInput } from "shared/core/input/settings";
import { formatTimeIn, formatCount } from "../../format.ts";
import { t } from "../../language.ts";
import { useMay, useMe } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import type { ToldField } from "../../ui/conflict.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { by, FormButtons, InputForm, useInputForm } from "../../ui/input-form.tsx";
import { timeZoneChoices, zoneLabel } from "../../ui/labels.ts";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { Rich } from "../../ui/rich.tsx";
import { type Settings, WithSettings } from "../../ui/with-settings.tsx";
import { AllowedAddresses, EncryptionSection, SingleSignOn } from "./protection.tsx";

export function GeneralPage() {
  const { account } = useMe();
  const mayRename = useMay("owner");
  const mayDemand = useMay("demandSecondFactor");
  const mayLimit = useMay("limitAddresses");
  const mayChange = useMay("operator");
  return (
    <Page title={t("General")}>
      <Section title={t("Account")}>
        <Card withBorder>
          <Stack gap="lg">
            {mayRename && <AccountNameForm name={account.name} />}
            <Facts>
              {!mayRename && <Fact name={t("Name")}>{account.name}</Fact>}
              <Fact name={t("Account ID")}>{account.id}</Fact>
            </Facts>
          </Stack>
        </Card>
      </Section>
      <Section title={t("Time zone")} lead={t("One time zone for the whole account.")}>
        <Card withBorder>
          <WithSettings>
            {(settings) => (mayChange ? <TimeZoneForm {...settings} /> : <TimeZoneFact timezone={settings.timezone} />)}
          </WithSettings>
        </Card>
      </Section>
      <PaceSection />
      <Section title={t("Second factor")} lead={t("An authenticator app or a passkey in addition to the password.")}>
        <Card withBorder>
          <WithSettings>
            {({ requireSecondFactor }) =>
              mayDemand ? <SecondFactorSwitch isRequired={requireSecondFactor} /> : <Text>{requirementWords(requireSecondFactor)}</Text>
            }
          </WithSettings>
        </Card>
      </Section>
      {mayDemand && <WithSettings>{(settings) => <SingleSignOn {...settings} />}</WithSettings>}
      {mayLimit && (
        <Section title={t("Allowed addresses")} lead={t("Networks from which the dashboard and access tokens may be used.")}>
          <Card withBorder>
            <WithSettings>
              {({ allowedAddresses, ...settings }) =>
                allowedAddresses !== null && <AllowedAddresses lists={allowedAddresses} {...settings} />
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
  isRequired ? t("Everybody in this account needs one.") : t("Everybody in this account may set one up.");

/** Switches the demand on or off, at once, also for the person who does it. */
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
      {update.error !== null && <FailureNotice title={t("The setting was not changed")} error={update.error} />}
      <Switch
        label={t("Require a second factor")}
        description={t("People without one{value} can do nothing else until they have set one up. Access tokens keep working.", {
          value: needsNone ? "" : t(", you included,"),
        })}
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
    <InputForm form={form} label={t("Account name")} failure={t("The account was not renamed")}>
      <TextInput
        label={t("Name")}
        description={t("Shown at the top of every page. WhatsApp and your customers do not see it.")}
        maw="26rem"
        autoComplete="organization"
        {...form.at("name")}
      />
      <FormButtons form={form} submit={t("Save name")} saved={t("Saved")} />
    </InputForm>
  );
}

function TimeZoneForm({ timezone, updatedAt }: Pick<Settings, "timezone" | "updatedAt">) {
  const choices = useMemo(() => timeZoneChoices(timezone), [timezone]);
  const cache = trpc.useUtils();
  const update = trpc.settings.update.useMutation({ onSuccess: (settings) => cache.settings.get.setData(undefined, settings) });
  const form = useInputForm({
    initialValues: { timezone },
    toInput: (values) => values,
    check: by(updateSettingsInput),
    submit: update.mutateAsync,
    versioned: {
      updatedAt,
      fill: ({ timezone: stored }: Settings) => ({ timezone: stored }),
      tell: (values) => [{ name: t("Time zone"), text: zoneLabel(values.timezone), at: ["timezone"] }],
    },
  });
  return (
    <InputForm form={form} label={t("Time zone")} failure={t("The time zone was not changed")}>
      <div>
        <TimeZoneFact timezone={timezone} />
      </div>
      <Select
        label={t("Time zone")}
        placeholder={t("A city or a region")}
        maw="26rem"
        data={choices}
        searchable
        allowDeselect={false}
        nothingFoundMessage={t("No such time zone: try a larger city nearby")}
        // The list is drawn only when it opens: it has hundreds of options with a clock each.
        comboboxProps={{ keepMounted: false }}
        renderOption={({ option }) => <TimeZoneOption {...option} />}
        {...form.at("timezone")}
      />
      <FormButtons form={form} submit={t("Save time zone")} saved={t("Saved. It applies to new messages.")} />
    </InputForm>
  );
}

/** The time zone and its use. */
function TimeZoneFact({ timezone }: { timezone: string }) {
  const now = useNow();
  return (
    <>
      <Text>
        <Rich
          text={t("<0>{timezone}</0>, where it is {timezone2}.", { timezone: zoneLabel(timezone), timezone2: formatTimeIn(timezone, now) })}
        >
          <strong />
        </Rich>
      </Text>
      <Text size="sm" c="dimmed" mt={4} maw="40rem">
        <Rich
          text={t(
            "Schedules, messages with today's date or the time (<0>date.today</0>, <1>date.now</1>) and the days of the overview use it. Times in lists use each reader's own time zone.",
          )}
        >
          <code />
          <code />
        </Rich>
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

interface Pace {
  messagesPerSecond: number | null;
  retryHours: number;
}

function PaceSection() {
  const mayChange = useMay("changePace");
  return (
    <Section title={t("Pace and retries")} lead={t("How fast messages are sent, and how long they are retried.")}>
      <Card withBorder>
        <WithSettings>{(settings) => (mayChange ? <PaceForm {...settings} /> : <PaceFacts {...settings} />)}</WithSettings>
      </Card>
    </Section>
  );
}

const PaceFacts = (pace: Pace) => (
  <Facts>
    {tellPace(fieldsOf(pace)).map(({ name, text }) => (
      <Fact key={name} name={name}>
        {text}
      </Fact>
    ))}
  </Facts>
);

const fieldsOf = ({ messagesPerSecond, retryHours }: Pace): PaceFields => ({ messagesPerSecond: messagesPerSecond ?? "", retryHours });

const tellPace = ({ messagesPerSecond, retryHours }: PaceFields): ToldField[] => [
  {
    name: t("Messages per second"),
    text:
      messagesPerSecond === "" ? t("Not limited") : t("At most {messagesPerSecond}", { messagesPerSecond: formatCount(messagesPerSecond) }),
    at: ["messagesPerSecond"],
  },
  {
    name: t("Retried for"),
    text: retryHours === 0 ? t("Not at all") : t("{retryHours, plural, one {# hour} other {# hours}}", { retryHours: Number(retryHours) }),
    at: ["retryHours"],
  },
];

/** The fields; an empty one for no limit. */
interface PaceFields {
  messagesPerSecond: number | "";
  retryHours: number | "";
}

function PaceForm({ updatedAt, ...pace }: Pace & Pick<Settings, "updatedAt">) {
  const cache = trpc.useUtils();
  const update = trpc.settings.update.useMutation({ onSuccess: (settings) => cache.settings.get.setData(undefined, settings) });
  const form = useInputForm({
    initialValues: fieldsOf(pace),
    toInput: (values: PaceFields) => ({
      messagesPerSecond: values.messagesPerSecond === "" ? null : values.messagesPerSecond,
      // An empty field is no number of hours, and the check says so.
      retryHours: values.retryHours === "" ? Number.NaN : values.retryHours,
    }),
    check: by(updateSettingsInput),
    submit: update.mutateAsync,
    versioned: { updatedAt, fill: (settings: Settings) => fieldsOf(settings), tell: tellPace },
  });
  const number = { maw: "26rem", clampBehavior: "none", allowDecimal: false, allowNegative: false, hideControls: true } as const;
  return (
    <InputForm form={form} label={t("Pace and retries")} failure={t("Pace and retries were not changed")}>
      <NumberInput
        label={t("Messages per second")}
        description={t("The most that is sent from each of your WhatsApp numbers, whatever is queued. Empty: as fast as possible")}
        {...number}
        {...form.at("messagesPerSecond")}
      />
      <NumberInput
        label={t("Retry for (hours)")}
        description={t("A message that WhatsApp refuses temporarily is retried for this long. 0: never")}
        {...number}
        {...form.at("retryHours")}
      />
      <FormButtons form={form} submit={t("Save pace")} saved={t("Saved")} />
    </InputForm>
  );
}
