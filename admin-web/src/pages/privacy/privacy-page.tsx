import { Card, NumberInput, type NumberInputProps, Text, Code } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { updateSettingsInput } from "shared/core/input/sites";
import type { OptOutScope, OptOutSource } from "shared/core/message";
import { isE164 } from "shared/core/phone";
import { paths } from "../../paths.ts";
import { useMay, RoleOnly, WithSettings, type Settings } from "../../session.tsx";
import { trpc, type Outputs } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { ConfirmButton, ConfirmDialog } from "../../ui/dialogs.tsx";
import { Fact, Facts, Moment } from "../../ui/facts.tsx";
import { by, FormButtons, InputForm, useInputForm } from "../../ui/input-form.tsx";
import { PhoneInput } from "../../ui/inputs.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { PagedList, EmptyState } from "../../ui/paged-list.tsx";
import { Erasing } from "./erasing.tsx";
import { OptOutWords } from "./opt-out-words.tsx";
import classes from "./privacy.module.css";

export function PrivacyPage() {
  const isOwner = useMay("owner");
  return (
    <RoleOnly needed="operator">
      <Page title="Privacy" lead="How long data is kept, who has opted out, and how to erase personal data.">
        <Section title="Data retention">
          <WithSettings>
            {({ retention }) => (isOwner ? <RetentionForm retention={retention} /> : <RetentionFacts retention={retention} />)}
          </WithSettings>
        </Section>
        <OptOuts />
        <OptOutWords />
        {isOwner && <Erasing />}
      </Page>
    </RoleOnly>
  );
}

/** For roles that cannot change it. */
function RetentionFacts({ retention: { payloadDays, logDays } }: { retention: Retention }) {
  return (
    <Card withBorder>
      <Facts>
        <Fact name={`Event data: ${formatDays(payloadDays)}`}>{retentionWords.payloadDays}</Fact>
        <Fact name={`Message log: ${formatDays(logDays)}`}>{retentionWords.logDays}</Fact>
        <Fact name="Never deleted by age">{retentionWords.stays}</Fact>
      </Facts>
      <Text size="sm" c="dimmed" mt="sm">
        Older data is deleted within about an hour. Only owners can change this.
      </Text>
    </Card>
  );
}

function RetentionForm({ retention }: { retention: Retention }) {
  const [asked, setAsked] = useState<Retention | null>(null);
  const cache = trpc.useUtils();
  const update = trpc.settings.update.useMutation({ onSuccess: (settings) => cache.settings.get.setData(undefined, settings) });
  const form = useInputForm({
    initialValues: { retention },
    toInput: (values) => values,
    check: by(updateSettingsInput),
    submit: async (wanted) => {
      if (!isShorter(wanted.retention, retention)) return update.mutateAsync(wanted);
      setAsked(wanted.retention);
      return false;
    },
  });
  const confirm = async () => {
    await update.mutateAsync(form.input);
    form.markSaved();
  };
  return (
    <Card withBorder>
      <InputForm form={form} label="Data retention" failure="The retention was not changed">
        <div className={classes["fields"]}>
          <NumberInput
            label="Keep event data for (days)"
            description={retentionWords.payloadDays}
            {...daysProps}
            {...form.at("retention.payloadDays")}
          />
          <NumberInput
            label="Keep message log for (days)"
            description={retentionWords.logDays}
            {...daysProps}
            {...form.at("retention.logDays")}
          />
        </div>
        <Text size="sm" c="dimmed" maw="44rem">
          Older data is deleted within about an hour. Event data is never kept longer than its event. Never deleted by age:{" "}
          {retentionWords.stays}
        </Text>
        <FormButtons form={form} submit="Save retention" saved="Saved" />
      </InputForm>
      <KeepLessDialog wanted={asked} onClose={() => setAsked(null)} onConfirm={confirm} />
    </Card>
  );
}

/** The description stands below, so that the two inputs are in line. */
const daysProps: NumberInputProps = {
  inputWrapperOrder: ["label", "input", "description", "error"],
  min: 1,
  max: 3650,
  allowDecimal: false,
  allowNegative: false,
  clampBehavior: "none",
};

interface KeepLessDialogProps {
  /** Null while nothing is to be confirmed. */
  wanted: Retention | null;
  onClose: () => void;
  onConfirm: () => Promise<unknown>;
}

/** Confirms a change that deletes data. */
function KeepLessDialog({ wanted, onClose, onConfirm }: KeepLessDialogProps) {
  return (
    <ConfirmDialog title="Keep less data?" action="Delete older data" opened={wanted !== null} onClose={onClose} onConfirm={onConfirm}>
      {wanted !== null &&
        `Event data older than ${formatDays(wanted.payloadDays)} and log entries older than ${formatDays(wanted.logDays)} are deleted for good within about an hour.`}
    </ConfirmDialog>
  );
}

type Retention = Settings["retention"];

/** Whether a change deletes stored data. */
export const isShorter = (next: Retention, stored: Retention): boolean =>
  next.payloadDays < stored.payloadDays || next.logDays < stored.logDays;

const retentionWords = {
  payloadDays: "The JSON of each event, its processing steps, and samples of its fields.",
  logDays: "Events and messages, orders without events, deleted sites, and sandbox messages.",
  stays: "daily counts, the audit log, all settings, and opt-outs.",
};

const formatDays = (days: number): string => days.toLocaleString(undefined, { style: "unit", unit: "day", unitDisplay: "long" });

type OptOut = Outputs["optOuts"]["list"]["items"][number];

const optOutColumns: Column<OptOut>[] = [
  { name: "Person", kind: "title", cell: ({ phone }) => phone ?? "Erased person" },
  { name: "Opted out of", cell: ({ scope }) => scopeWords[scope] },
  { name: "Source", cell: ({ source, code }) => <Source words={sourceWords[source]} code={code} /> },
  { name: "Since", kind: "short", cell: ({ since }) => <Moment at={since} /> },
  { name: "Actions", kind: "buttons", cell: ({ id, phone }) => <RemoveOptOut id={id} phone={phone} /> },
];

/** The people who get no messages, with a search by phone. */
function OptOuts() {
  const { phone } = useSearch({ from: `/signed-in${paths.privacy}` });
  const navigate = useNavigate();
  const optOuts = trpc.optOuts.list.useInfiniteQuery({ phone, limit: 50 }, { getNextPageParam: (page) => page.nextCursor });
  return (
    <Section title="Opt-outs" lead="Messages that a person opted out of are never sent; they appear in the log as failed.">
      <PhoneSearch
        phone={phone}
        onChange={(searched) => void navigate({ to: paths.privacy, search: { phone: searched }, replace: true })}
      />
      <PagedList query={optOuts} what="the opt-outs" empty={<NobodyOptedOut searched={phone} />}>
        {(items) => <DataTable label="Opt-outs" columns={optOutColumns} rows={items} rowKey={({ id }) => id} />}
      </PagedList>
    </Section>
  );
}

function Source({ words, code }: { words: string; code: string | null }) {
  if (code === null) return words;
  return (
    <span>
      {words} <Code>{code}</Code>
    </span>
  );
}

function RemoveOptOut({ id, phone }: { id: string; phone: string | null }) {
  const cache = trpc.useUtils();
  const lift = trpc.optOuts.lift.useMutation({ onSettled: () => cache.optOuts.list.invalidate() });
  const who = phone ?? "this person";
  return (
    <ConfirmButton
      label="Remove opt-out"
      size="compact-sm"
      aria-label={`Remove opt-out of ${who}`}
      title="Send messages to this person again?"
      action="Remove opt-out"
      onConfirm={() => lift.mutateAsync({ id })}
    >
      From the next event on, messages to {who} are sent again, until they opt out again. Do this only if the person asked for it. The audit
      log records that you did it.
    </ConfirmButton>
  );
}

function NobodyOptedOut({ searched }: { searched: string | undefined }) {
  if (searched !== undefined) {
    return (
      <EmptyState title={`${searched} has not opted out`}>
        <TextLink to={paths.privacy} search={{}}>
          Show all opt-outs
        </TextLink>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="Nobody has opted out">
      People who answer with a stop word, stop marketing messages in WhatsApp or block the business appear here. Subscribe your app to{" "}
      <code>user_preferences</code> to receive opt-outs: see <TextLink to={paths.platform}>Platform</TextLink>.
    </EmptyState>
  );
}

const scopeWords: Record<OptOutScope, string> = { marketing: "Marketing", all: "All messages" };

const sourceWords: Record<OptOutSource, string> = {
  preference: "Chosen in WhatsApp",
  keyword: "Answered with a word",
  callback: "Reported after sending",
  refusal: "Reported on refusal",
  operator: "Entered by an operator",
};

interface PhoneSearchProps {
  phone: string | undefined;
  /** Gets a complete number, or undefined once the field is empty. */
  onChange: (phone: string | undefined) => void;
}

/** Searches as soon as the number is complete. */
function PhoneSearch({ phone, onChange }: PhoneSearchProps) {
  const [typed, setTyped] = useState(phone ?? "");
  const [searched, setSearched] = useState(phone);
  if (phone !== searched) {
    setSearched(phone);
    setTyped(phone ?? "");
  }
  const write = (text: string) => {
    setTyped(text);
    if (text === "" || isE164(text)) onChange(text || undefined);
  };
  return (
    <search aria-label="Opt-outs">
      <PhoneInput label="Find phone" maw="20rem" value={typed} onChange={write} />
    </search>
  );
}
