import { Card, Group, Stack, Text, TextInput, Progress } from "@mantine/core";
import { useMemo, useState, useSyncExternalStore } from "react";
import { formatTimeIn, formatCount, formatPercent } from "../../format.ts";
import { t } from "../../language.ts";
import { useMe } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { Fact, Facts, onTick } from "../../ui/base/facts.tsx";
import { timeZoneChoices, zoneLabel } from "../../ui/base/labels.ts";
import { Dimmed, Page, rich, Section, Small } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import type { ToldField } from "../../ui/form/conflict.tsx";
import { WholeNumberInput } from "../../ui/form/idempotency-hours.tsx";
import { InputForm, useInputForm } from "../../ui/form/input-form.tsx";
import { by } from "../../ui/form/input-issues.ts";
import { ZoneSelect } from "../../ui/form/time-fields.tsx";
import { SettingSwitch, type Settings, WithSettings, useUpdateSettings } from "../../ui/form/with-settings.tsx";
import { tellState } from "../../ui/list/state-line.ts";

export function GeneralPage() {
  const mayChange = useMay("operator");
  const { timezone, encryptPayloads } = trpc.settings.get.useQuery().data ?? {};
  return (
    <Page
      title={t("General")}
      lead={tellState("general", { zone: timezone && zoneLabel(timezone), encrypted: encryptPayloads === true && 1 })}
    >
      <Stack gap="lg" maw="40rem">
        <WithSettings>
          {(settings) => (
            <>
              <Card>
                {mayChange ? (
                  <GeneralForm {...settings} />
                ) : (
                  <Stack>
                    <GeneralFacts fields={fieldsOf(settings)} skip={["timezone"]} />
                    <TimeZoneFact timezone={settings.timezone} />
                  </Stack>
                )}
              </Card>
              <EncryptionSection {...settings} />
            </>
          )}
        </WithSettings>
      </Stack>
    </Page>
  );
}

/** The fields; an empty one for no limit. */
const fieldsOf = ({ name, timezone, messagesPerSecond, retryHours }: Settings) => ({
  name,
  timezone,
  messagesPerSecond: messagesPerSecond ?? ("" as const),
  retryHours: retryHours as number | "",
});

type Fields = ReturnType<typeof fieldsOf>;

const tell = ({ name, timezone, messagesPerSecond, retryHours }: Fields): ToldField[] => [
  { name: t("Name"), text: name, at: ["name"] },
  { name: t("Time zone"), text: zoneLabel(timezone), at: ["timezone"] },
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

/** What the person may not change. */
function GeneralFacts({ fields, skip }: { fields: Fields; skip: string[] }) {
  const { account } = useMe();
  return (
    <Facts told={tell(fields).filter(({ at: [member = ""] }) => !skip.includes(member))}>
      <Fact name={t("Account ID")}>{account.id}</Fact>
    </Facts>
  );
}

const useGeneralForm = (settings: Settings, { mayRename, mayPace }: Record<"mayRename" | "mayPace", boolean>) =>
  useInputForm({
    initialValues: fieldsOf(settings),
    toInput: ({ name, timezone, messagesPerSecond, retryHours }: Fields) => ({
      ...(mayRename && { name }),
      timezone,
      ...(mayPace && {
        messagesPerSecond: messagesPerSecond === "" ? null : messagesPerSecond,
        // An empty field is no number of hours, and the check says so.
        retryHours: retryHours === "" ? Number.NaN : retryHours,
      }),
    }),
    check: by("updateSettingsInput"),
    submit: useUpdateSettings().mutateAsync,
    versioned: { updatedAt: settings.updatedAt, fill: (current: Settings) => fieldsOf(current), tell },
  });

function GeneralForm(settings: Settings) {
  const [mayRename, mayPace] = [useMay("renameAccount"), useMay("changePace")];
  const choices = useMemo(() => timeZoneChoices(settings.timezone), [settings.timezone]);
  const form = useGeneralForm(settings, { mayRename, mayPace });
  return (
    <InputForm form={form} label={t("General")} failure={t("The settings were not saved")} saved={t("Saved. It applies to new messages.")}>
      <GeneralFacts
        fields={form.values}
        skip={["timezone", ...(mayRename ? ["name"] : []), ...(mayPace ? ["messagesPerSecond", "retryHours"] : [])]}
      />
      {mayRename && (
        <TextInput
          label={t("Name")}
          description={t("Shown at the top of every page. WhatsApp and your customers do not see it.")}
          autoComplete="organization"
          required
          {...form.at("name")}
        />
      )}
      <ZoneSelect
        placeholder={t("A city or a region")}
        data={choices}
        renderOption={({ option }) => <TimeZoneOption {...option} />}
        {...form.at("timezone")}
      />
      <div>
        <TimeZoneFact timezone={settings.timezone} />
      </div>
      {mayPace && (
        <>
          <WholeNumberInput
            label={t("Messages per second")}
            description={t("The most that is sent from each of your WhatsApp numbers, whatever is queued. Empty: as fast as possible.")}
            {...form.at("messagesPerSecond")}
          />
          <WholeNumberInput
            label={t("Retry for (hours)")}
            required
            description={t("A message that WhatsApp refuses temporarily is retried for this long. 0: never.")}
            {...form.at("retryHours")}
          />
        </>
      )}
    </InputForm>
  );
}

/** The time zone and its use. */
function TimeZoneFact({ timezone }: { timezone: string }) {
  const time = useSyncExternalStore(onTick, () => formatTimeIn(timezone, Date.now()));
  return (
    <>
      <Text size="md">
        {rich(t("<0>{timezone}</0>, where it is {timezone2}.", { timezone: zoneLabel(timezone), timezone2: time }), <strong />)}
      </Text>
      <Dimmed mt={4}>
        {rich(
          t(
            "Schedules, messages with today's date or the time (<0>date.today</0>, <1>date.now</1>) and the days of the overview use it. Times in lists use each reader's own time zone.",
          ),
          <code />,
          <code />,
        )}
      </Dimmed>
    </>
  );
}

/** A time zone with its current time. */
function TimeZoneOption({ value, label }: { value: string; label: string }) {
  const [time] = useState(() => formatTimeIn(value, Date.now()));
  return (
    <Group justify="space-between" gap="sm" wrap="nowrap" flex={1}>
      <span>{label}</span>
      <Small span>{time}</Small>
    </Group>
  );
}

/** Whether customers' data is encrypted at rest, and the progress for earlier events. */
function EncryptionSection({ encryptPayloads, encryptionProgress: progress }: Settings) {
  const mayChange = useMay("encryptPayloads");
  return (
    <Section
      title={t("Encryption")}
      lead={t("Payloads, phone numbers and texts in the database, encrypted with this account's own key.")}
      isCard
    >
      {mayChange ? (
        <SettingSwitch
          label={t("Encrypt payloads and phones")}
          description={t(
            "Each event takes the gateway 10 to 30% more processor time, and the database needs more space. Messages are still found by whole phone numbers. If the master key is lost, encrypted data can never be read again. If you switch this off, new events are stored unencrypted, and encrypted data stays encrypted.",
          )}
          isOn={encryptPayloads}
          change={(isOn) => ({ encryptPayloads: isOn })}
        />
      ) : (
        <Text size="md">{encryptPayloads ? t("New events are encrypted.") : t("New events are stored unencrypted.")}</Text>
      )}
      {progress !== null && <EarlierEvents progress={progress} />}
    </Section>
  );
}

const pollMs = 2_000;

function EarlierEvents({ progress }: { progress: number }) {
  trpc.settings.get.useQuery(undefined, { refetchInterval: pollMs });
  return (
    <div>
      <Text mb={4}>{t("Earlier events are being encrypted: {percent}", { percent: formatPercent(progress) })}</Text>
      <Progress value={progress * 100} aria-label={t("Earlier events that are encrypted")} />
    </div>
  );
}
