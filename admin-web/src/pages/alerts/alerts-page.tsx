import { Group, Stack, Switch, TextInput } from "@mantine/core";
import { type AlertKind, alertKinds, boundOf } from "shared/core/alert/alert";
import { formatWeekday } from "../../format.ts";
import { t, translated } from "../../language.ts";
import { paths } from "../../paths.ts";
import { type Outputs, trpc, cache } from "../../trpc.ts";
import { ButtonLink } from "../../ui/base/buttons.tsx";
import { Moment, Facts } from "../../ui/base/facts.tsx";
import { ticked } from "../../ui/base/fields.ts";
import { zoneLabel } from "../../ui/base/labels.ts";
import { Page, Section, Loaded, EmptyState } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import type { ToldField } from "../../ui/form/conflict.tsx";
import { WholeNumberInput } from "../../ui/form/idempotency-hours.tsx";
import { InputForm, useInputForm } from "../../ui/form/input-form.tsx";
import { by } from "../../ui/form/input-issues.ts";
import { WeekdayChoice } from "../../ui/form/time-fields.tsx";
import { useLiveList } from "../../ui/list/live-list.tsx";
import { tellState } from "../../ui/list/state-line.ts";
import { useOpenProblems } from "../../ui/problem/open-problems.ts";
import { InWords } from "../../ui/problem/problem-cards.tsx";
import { kindLabel } from "../../ui/problem/problem-kinds.ts";
import { type Column, DataTable, PagedList } from "../../ui/table/data-table.tsx";
import { Channels, type AlertSettings, stateOf } from "./channels.tsx";
import labels from "./labels.json";

export function AlertsPage() {
  const maySee = useMay("operator");
  const { channels } = trpc.alerts.settings.useQuery(undefined, { enabled: maySee }).data ?? {};
  const failing = channels?.filter((channel) => stateOf(channel)[1] === "failed");
  const open = useOpenProblems();
  const told = useLiveList("alerts.list", { limit: 20 }, { every: lookEveryMs });
  const line = maySee
    ? tellState("alerts", { channels: channels?.length, failing: failing?.length || null })
    : tellState("problems", { open: open && { total: open.items.length, more: open.nextCursor !== null } });
  return (
    <Page title={t("Alerts")} lead={line}>
      {maySee && <Telling />}
      <Section
        title={t("What was told")}
        lead={t("Each problem that opened in the last three months and that channels are told of.")}
        actions={
          <ButtonLink variant="subtle" size="compact-sm" to={paths.problems}>
            {t("All problems")}
          </ButtonLink>
        }
      >
        <PagedList query={told} what={t("the alerts")} empty={<EmptyState title={t("No alerts yet")}>{null}</EmptyState>}>
          {(items) => <DataTable label={t("What was told")} columns={columns} rows={items} rowKey={({ id }) => id} />}
        </PagedList>
      </Section>
    </Page>
  );
}

type Alert = Outputs["alerts"]["list"]["items"][number];

const lookEveryMs = 30_000;

const columns: Column<Alert>[] = [
  {
    name: t("Problem"),
    kind: "title",
    isNarrow: true,
    cell: (alert) => (
      <InWords problem={{ ...alert, subject: alert.subjectId ?? "" }}>{({ title }) => <span title={title}>{title}</span>}</InWords>
    ),
  },
  { name: t("Opened"), kind: "short", cell: ({ raisedAt }) => <Moment at={raisedAt} /> },
  { name: t("Ended"), kind: "short", cell: ({ clearedAt }) => clearedAt !== null && <Moment at={clearedAt} /> },
];

/** The channels, conditions and hours of alerts. */
function Telling() {
  const isOwner = useMay("owner");
  const settings = trpc.alerts.settings.useQuery(undefined, { refetchInterval: lookEveryMs });
  const { timezone } = trpc.settings.get.useQuery().data ?? {};
  return (
    <Loaded query={settings} what={t("the channels")}>
      {(data) => (
        <>
          <Channels settings={data} />
          {timezone !== undefined && (
            <Section title={t("Which alerts are sent, and when")} isCard>
              {isOwner ? <RulesForm settings={data} timezone={timezone} /> : <Facts told={tellRules(draftOf(data), timezone)} />}
            </Section>
          )}
        </>
      )}
    </Loaded>
  );
}

const hasBound = (kind: AlertKind): kind is "failure_rate" | "backlog" => boundOf(kind) !== null;

function tellRules({ conditions, quietHours, urgentAlways, weekly }: Draft, timezone: string): ToldField[] {
  const yesNo = (is: boolean): string => (is ? t("Yes") : t("No"));
  const on = (kind: AlertKind) =>
    hasBound(kind) ? t("On, {bound} {value}", { bound: conditions[kind].bound ?? "", value: boundOf(kind)?.unit ?? "" }) : t("On");
  return [
    ...alertKinds.map((kind) => ({
      name: kindLabel(kind),
      text: conditions[kind].enabled ? on(kind) : t("Off"),
      at: [`conditions/${kind}`],
    })),
    { name: t("Quiet hours"), text: quietHours === null ? t("None") : tellHours(quietHours, timezone), at: ["quietHours"] },
    ...(quietHours === null
      ? []
      : [{ name: t("Alerts for a stopped account during quiet hours too"), text: yesNo(urgentAlways), at: ["urgentAlways"] }]),
    { name: t("Mail the weekly figures"), text: yesNo(weekly), at: ["weekly"] },
  ];
}

function tellHours({ days, from, to, timezone }: Hours, usual: string): string {
  const nights = days.length === 7 ? "" : `, ${days.map((day) => formatWeekday(day - 1, "short")).join(" ")}`;
  return t("{from} to {to}, {zoneLabel}", { from, to, zoneLabel: zoneLabel(timezone ?? usual) }) + nights;
}

type Hours = NonNullable<AlertSettings["quietHours"]>;

/** An empty field holds no number. */
interface Draft extends Pick<AlertSettings, "quietHours" | "urgentAlways" | "weekly"> {
  conditions: Record<AlertKind, { enabled: boolean; bound: number | "" | null }>;
}

const everyNight: Hours = { days: [1, 2, 3, 4, 5, 6, 7], from: "22:00", to: "07:00" };

const draftOf = ({ conditions, quietHours, urgentAlways, weekly }: AlertSettings): Draft => ({
  conditions,
  quietHours,
  urgentAlways,
  weekly,
});

const inputOf = ({ conditions, ...others }: Draft) => ({
  conditions: Object.fromEntries(
    alertKinds.map((kind) => {
      const { enabled, bound } = conditions[kind];
      return [kind, { enabled, ...(hasBound(kind) && { bound: bound === "" || bound === null ? Number.NaN : bound }) }];
    }),
  ) as Record<AlertKind, { enabled: boolean; bound?: number }>,
  ...others,
});

const useRules = (settings: AlertSettings, timezone: string) =>
  useInputForm({
    initialValues: draftOf(settings),
    toInput: inputOf,
    check: by("updateAlertsInput"),
    submit: trpc.alerts.update.useMutation({ onSuccess: (saved) => cache.alerts.settings.setData(undefined, saved) }).mutateAsync,
    versioned: { updatedAt: settings.updatedAt, fill: draftOf, tell: (draft) => tellRules(draft, timezone) },
  });

type Form = ReturnType<typeof useRules>;

/** The conditions that channels are told of, and the hours in which people are told. */
function RulesForm({ settings, timezone }: { settings: AlertSettings; timezone: string }) {
  const form = useRules(settings, timezone);
  const { values, change } = form;
  const hours = values.quietHours;
  return (
    <InputForm form={form} label={t("Which alerts are sent, and when")} failure={t("The alerts were not changed")} saved={t("Saved")}>
      <Stack gap="sm">
        {alertKinds.map((kind) => (
          <Condition key={kind} kind={kind} form={form} />
        ))}
      </Stack>
      <Switch
        label={t("Quiet hours")}
        description={t(
          "E-mails and chats wait until quiet hours end and then arrive in one message. Webhooks and PagerDuty are told at once. Time zone: {zoneLabel}.",
          { zoneLabel: zoneLabel(hours?.timezone ?? timezone) },
        )}
        {...ticked(hours !== null, (isOn) => change({ quietHours: isOn ? (settings.quietHours ?? everyNight) : null }))}
      />
      <Switch
        label={t("Mail the weekly figures")}
        description={t("To the e-mail channels, on Mondays at 8:00, {zoneLabel}", { zoneLabel: zoneLabel(timezone) })}
        {...ticked(values.weekly, (isOn) => change({ weekly: isOn }))}
      />
      {hours !== null && <QuietHours hours={hours} form={form} />}
    </InputForm>
  );
}

function QuietHours({ hours, form: { values, change, mark } }: { hours: Hours; form: Form }) {
  const quiet = (changes: Partial<Hours>) => change({ quietHours: { ...hours, ...changes } });
  return (
    <Stack gap="sm" ms="xl" ps="md">
      <Group gap="sm" align="flex-start">
        {(["from", "to"] as const).map((name) => (
          <TextInput
            key={name}
            type="time"
            label={name === "from" ? t("Start time") : t("End time")}
            value={hours[name]}
            {...mark(`quietHours.${name}`)}
            onChange={({ currentTarget }) => quiet({ [name]: currentTarget.value })}
          />
        ))}
      </Group>
      <WeekdayChoice
        label={t("Nights that begin on")}
        value={hours.days.map(String)}
        {...mark("quietHours.days")}
        onChange={(days) => quiet({ days: days.map(Number) })}
      />
      <Switch
        label={t("Also alert during quiet hours when the platform account is stopped")}
        {...ticked(values.urgentAlways, (isOn) => change({ urgentAlways: isOn }))}
      />
    </Stack>
  );
}

function Condition({ kind, form: { values, change, faults } }: { kind: AlertKind; form: Form }) {
  const { enabled, bound } = values.conditions[kind];
  const changeTo = (changes: Partial<Draft["conditions"][AlertKind]>) =>
    change({ conditions: { ...values.conditions, [kind]: { ...values.conditions[kind], ...changes } } });
  const label = kindLabel(kind);
  const boundLabel = hasBound(kind) ? translated(labels.bounds[kind]) : null;
  return (
    <Stack gap="xs">
      <Switch label={label} description={translated(labels.conditions[kind])} {...ticked(enabled, (isOn) => changeTo({ enabled: isOn }))} />
      {boundLabel !== null && enabled && (
        <WholeNumberInput
          label={boundLabel}
          aria-label={`${label}: ${boundLabel}`}
          ms="xl"
          ps="md"
          maw="16rem"
          value={bound ?? ""}
          data-path={`conditions.${kind}.bound`}
          error={faults[`conditions.${kind}.bound`]}
          onChange={(value) => changeTo({ bound: typeof value === "number" ? value : "" })}
        />
      )}
    </Stack>
  );
}
