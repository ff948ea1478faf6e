import { Code, NativeSelect, Text, Textarea } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { formatParts, formatUnit } from "../../format.ts";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { RolePage } from "../../role-page.tsx";
import { cache, type Outputs, settled, trpc, trpcClient } from "../../trpc.ts";
import { TextLink } from "../../ui/base/buttons.tsx";
import { AskButton, ConfirmDialog } from "../../ui/base/dialogs.tsx";
import { Facts, Moment } from "../../ui/base/facts.tsx";
import { choicesOf, optOutScopeLabels, optOutSourceLabels } from "../../ui/base/labels.ts";
import { Dimmed, Section, rich, EmptyState } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import type { ToldField } from "../../ui/form/conflict.tsx";
import { WholeNumberInput } from "../../ui/form/idempotency-hours.tsx";
import { InputForm, linesAt, useInputForm } from "../../ui/form/input-form.tsx";
import { by } from "../../ui/form/input-issues.ts";
import { WithSettings, type Settings, useUpdateSettings } from "../../ui/form/with-settings.tsx";
import { type Filter, FilterBar } from "../../ui/list/filter-bar.tsx";
import { isFiltered, phoneFilter } from "../../ui/list/list-filters.tsx";
import { PagedTable } from "../../ui/list/paged-table.tsx";
import { tellState } from "../../ui/list/state-line.ts";
import { CustomerLink } from "../../ui/message/customer-link.tsx";
import { type Column, byPage } from "../../ui/table/data-table.tsx";
import asks from "./ask-labels.json";
import { Erasing, ShopRequests } from "./erasing.tsx";
import { type PrivacySearch, readPrivacySearch } from "./route.ts";

export function PrivacyPage() {
  const mayChange = useMay("changeRetention");
  const mayErase = useMay("owner");
  const { payloadDays, logDays } = trpc.settings.get.useQuery().data?.retention ?? {};
  return (
    <RolePage
      needed="operator"
      title={t("Privacy")}
      lead={tellState("privacy", { payload: payloadDays && formatDays(payloadDays), log: logDays && formatDays(logDays) })}
    >
      <Section title={t("Data retention")} isCard>
        <WithSettings>
          {(settings) => (mayChange ? <RetentionForm {...settings} /> : <OwnersFacts fields={tellRetention(settings)} />)}
        </WithSettings>
      </Section>
      <OptOuts />
      <OptOutWords />
      {mayErase && <ShopRequests />}
      {mayErase && <Erasing />}
    </RolePage>
  );
}

/** What only owners change, for the others. */
const OwnersFacts = ({ fields }: { fields: readonly ToldField[] }) => (
  <>
    <Facts told={fields} />
    <Dimmed>{t("Only owners can change this.")}</Dimmed>
  </>
);

const periods = {
  payloadDays: {
    label: t("Keep event data for (days)"),
    description: t("The JSON of each event, its processing steps, and samples of its fields"),
  },
  logDays: {
    label: t("Keep events and messages for (days)"),
    description: t("Events and messages, orders without events, deleted sites, and sandbox messages"),
  },
};
const periodNames = ["payloadDays", "logDays"] as const;

const tellRetention = ({ retention }: Pick<Settings, "retention">): ToldField[] =>
  periodNames.map((name) => ({ name: periods[name].label, text: formatDays(retention[name]), at: [`retention/${name}`] }));

function RetentionForm({ retention, updatedAt }: Pick<Settings, "retention" | "updatedAt">) {
  /** A change that deletes data, once it is to be confirmed. */
  const [asked, setAsked] = useState<Retention | null>(null);
  const update = useUpdateSettings();
  const form = useInputForm({
    initialValues: { retention },
    check: by("updateSettingsInput"),
    submit: async (wanted) => {
      if (!isShorter(wanted.retention, retention)) return update.mutateAsync(wanted);
      setAsked(wanted.retention);
      return false;
    },
    versioned: { updatedAt, fill: ({ retention: theirs }: Settings) => ({ retention: theirs }), tell: tellRetention },
  });
  return (
    <>
      <InputForm form={form} label={t("Data retention")} failure={t("The retention was not changed")} saved={t("Saved")}>
        {periodNames.map((name) => (
          <WholeNumberInput key={name} {...periods[name]} min={1} max={3650} {...form.at(`retention.${name}`)} />
        ))}
        <Dimmed>
          {t("Older data is deleted within about an hour. Event data is never kept longer than its event. Never deleted by age: {stays}", {
            stays: t("daily counts, the audit log, all settings, and opt-outs."),
          })}
        </Dimmed>
      </InputForm>
      <ConfirmDialog
        title={t("Keep less data?")}
        action={t("Delete older data")}
        opened={asked !== null}
        onClose={() => setAsked(null)}
        onConfirm={() => form.send(update.mutateAsync)}
      >
        {asked !== null &&
          t("Event data older than {payloadDays} and messages older than {logDays} are deleted for good within about an hour.", {
            payloadDays: formatDays(asked.payloadDays),
            logDays: formatDays(asked.logDays),
          })}
      </ConfirmDialog>
    </>
  );
}

type Retention = Settings["retention"];

/** Whether a change deletes stored data. */
export const isShorter = (next: Retention, stored: Retention) => next.payloadDays < stored.payloadDays || next.logDays < stored.logDays;

const formatDays = (days: number): string => formatUnit(days, "day");

type OptOut = Outputs["optOuts"]["list"]["items"][number];

const optOutColumns: Column<OptOut>[] = [
  { name: t("Person"), kind: "title", cell: (person) => <Person {...person} /> },
  { name: t("Opted out of"), kind: "short", cell: ({ scope }) => optOutScopeLabels[scope] },
  { name: t("Source"), cell: ({ source, code }) => <Source words={optOutSourceLabels[source]} code={code} /> },
  { name: t("Since"), kind: "short", cell: ({ since }) => <Moment at={since} /> },
  { name: t("Actions"), kind: "buttons", cell: ({ id, phone, userId }) => <RemoveOptOut id={id} phone={phone ?? userId} /> },
];

/** The phone, or the platform's id of somebody whose phone it hides. */
function Person({ phone, userId }: OptOut) {
  if (phone !== null) return <CustomerLink phone={phone} />;
  return userId ? <Code title={t("WhatsApp hides this person's phone")}>{userId}</Code> : t("Erased person");
}

const optOutFilters: Filter<PrivacySearch>[] = [
  { name: "scope", label: t("Opted out of"), options: choicesOf(optOutScopeLabels) },
  { name: "source", label: t("Source"), options: choicesOf(optOutSourceLabels) },
];

/** The people who get no messages. */
function OptOuts() {
  const search = useSearch({ from: `/signed-in${paths.privacy}` });
  const [sought = "", ...others] = [search.search, search.phone, search.scope, search.source].filter((each) => each !== undefined);
  /** Of a part of a phone, of a name, and of one kind of opt-out alone, an empty list does not say so. */
  const isOfPerson = others.length === 0 && /^(?:\+|00)\d{10,15}$/.test(sought.replaceAll(/[\s().\-/]/g, ""));
  const optOuts = trpc.optOuts.list.useInfiniteQuery({ ...search, limit: 50 }, byPage);
  return (
    <Section title={t("Opt-outs")} lead={t("Messages that a person opted out of are never sent and count as failed.")}>
      <FilterBar<PrivacySearch>
        search={search}
        read={readPrivacySearch}
        placeholder={t("Phone, name or order")}
        filters={[...phoneFilter<PrivacySearch>(true), ...optOutFilters]}
        views="privacy"
      />
      <PagedTable
        label={t("Opt-outs")}
        query={optOuts}
        what={t("the opt-outs")}
        empty={
          <EmptyState title={t("Nobody has opted out")}>
            {rich(
              t(
                "People who answer with a stop word, stop marketing messages in WhatsApp or block the business appear here. Subscribe your app to <0>user_preferences</0> to receive opt-outs: see <1>WhatsApp</1>.",
              ),
              <code />,
              <TextLink to={paths.platform} />,
            )}
          </EmptyState>
        }
        filtered={isFiltered(search) && (isOfPerson ? t("{searched} has not opted out", { searched: sought }) : null)}
        columns={optOutColumns}
      />
    </Section>
  );
}

const Source = ({ words, code }: { words: string; code: string | null }) => (
  <Text truncate fz={13} title={formatParts([words, code], " ")}>
    {words} {code !== null && <Code>{code}</Code>}
  </Text>
);

function RemoveOptOut({ id, phone }: { id: string; phone: string | null }) {
  const lift = () => settled(trpcClient.optOuts.lift.mutate({ id }), cache.optOuts.list);
  return <AskButton question={asks.removeOptOut} values={{ who: phone ?? t("this person") }} onConfirm={lift} />;
}

type Words = Settings["optOut"];

/** The words by which people stop and resume messages. The first section says what keeps the settings away. */
function OptOutWords() {
  const mayChange = useMay("changeOptOutWords");
  const settings = trpc.settings.get.useQuery().data;
  if (settings === undefined) return null;
  return (
    <Section
      title={t("Stop words")}
      lead={t(
        "A person who answers with one of these words, typed or on a button, gets no more messages. Upper and lower case are the same; punctuation and emoji around a word do not matter. Nothing else that people write is kept.",
      )}
      isCard
    >
      {mayChange ? <WordsForm {...settings} /> : <OwnersFacts fields={tellWords(fieldsOf(settings.optOut))} />}
    </Section>
  );
}

const listed = (words: readonly string[]): string => (words.length === 0 ? t("None") : words.join(", "));

const fieldsOf = ({ scope, stopWords, startWords }: Words) => ({
  optOut: { scope, stopWords: stopWords.join("\n"), startWords: startWords.join("\n") },
});

const tellWords = ({ optOut: { stopWords, startWords, scope } }: ReturnType<typeof fieldsOf>) => [
  { name: t("Stop words"), text: listed(linesOf(stopWords)), at: ["optOut/stopWords"] },
  { name: t("Start words"), text: listed(linesOf(startWords)), at: ["optOut/startWords"] },
  { name: t("A stop word stops"), text: scopeLabels[scope], at: ["optOut/scope"] },
];

function WordsForm({ optOut, updatedAt }: Pick<Settings, "optOut" | "updatedAt">) {
  const form = useInputForm({
    initialValues: fieldsOf(optOut),
    toInput: ({ optOut: { stopWords, startWords, scope } }) => ({
      optOut: { stopWords: linesOf(stopWords), startWords: linesOf(startWords), scope },
    }),
    check: by("updateSettingsInput"),
    submit: useUpdateSettings().mutateAsync,
    versioned: { updatedAt, fill: (settings: Settings) => fieldsOf(settings.optOut), tell: tellWords },
  });
  const size = { minRows: 4, maxRows: 10 };
  return (
    <InputForm form={form} label={t("Stop words")} failure={t("The words were not saved")} saved={t("Saved")}>
      <Textarea label={t("Stop words")} description={t("One per line")} {...size} {...linesAt(form, "optOut.stopWords")} />
      <Textarea
        label={t("Start words")}
        description={t("One per line; they end an opt-out, including one that WhatsApp reported.")}
        {...size}
        {...linesAt(form, "optOut.startWords")}
      />
      <NativeSelect label={t("A stop word stops")} maw="20rem" data={choicesOf(scopeLabels)} {...form.at("optOut.scope")} />
    </InputForm>
  );
}

const scopeLabels: Record<Words["scope"], string> = { all: t("All messages"), marketing: t("Marketing only") };

const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
