import { Card, Checkbox, Group, NumberInput, Stack, Switch, TextInput } from "@mantine/core";
import { type AlertKind, alertKinds, boundOf } from "shared/core/alert/alert";
import { updateAlertsInput } from "shared/core/input/alerts";
import { weekdays } from "shared/core/schedule/describe";
import { formatWeekday } from "../../format.ts";
import { t } from "../../language.ts";
import { useMay } from "../../session.tsx";
import { cache, trpc } from "../../trpc.ts";
import type { ToldField } from "../../ui/conflict.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { by, FormButtons, InputForm, useInputForm } from "../../ui/input-form.tsx";
import { zoneLabel } from "../../ui/labels.ts";
import { Section } from "../../ui/page.tsx";
import type { AlertSettings } from "./channels.tsx";

/** The label of each condition, its description, and the unit of its bound. */
const words: Record<AlertKind, { label: string; description: string; bound?: string }> = {
  platform_stopped: {
    label: t("Platform account stopped"),
    description: t("WhatsApp refuses the credentials, or all messages of the account"),
  },
  template_refused: { label: t("Template rejected, paused or disabled"), description: t("Messages with it fail") },
  failure_rate: {
    label: t("More failures than usual"),
    description: t(
      "Failed messages of the last hour, compared with the last four weeks; half of them in the first week. Needs at least 20 messages",
    ),
    bound: t("And at least (percent)"),
  },
  site_silent: { label: t("Site gone silent"), description: t("No event for much longer than its longest pause so far") },
  backlog: { label: t("Backlog"), description: t("Messages are due but are not being sent"), bound: t("For more than (minutes)") },
  endpoint_disabled: {
    label: t("Endpoint switched off"),
    description: t("A webhook endpoint of a site accepted nothing for five days, or no longer exists"),
  },
  secret_unreadable: { label: t("Secret unreadable"), description: t("The master key cannot decrypt it, so events are refused") },
  requests_refused: {
    label: t("Requests of a site refused"),
    description: t("Most of its requests are not signed with its secret, or none has been for an hour"),
  },
};

interface Props {
  settings: AlertSettings;
  timezone: string;
}

/** The conditions that channels are told of, and the hours in which people are told. */
export function AlertRules(props: Props) {
  const isOwner = useMay("owner");
  return (
    <Section title={t("Which alerts are sent, and when")}>
      <Card withBorder>{isOwner ? <RulesForm {...props} /> : <RulesFacts {...props} />}</Card>
    </Section>
  );
}

const RulesFacts = ({ settings, timezone }: Props) => (
  <Facts>
    {tellRules(draftOf(settings), timezone).map(({ name, text }) => (
      <Fact key={name} name={name}>
        {text}
      </Fact>
    ))}
  </Facts>
);

function tellRules({ enabled, bounds, isQuiet, quietHours, urgentAlways, weekly }: Draft, timezone: string): ToldField[] {
  const { days, from, to } = quietHours;
  const nights = days.length === 7 ? "" : `, ${days.map((day) => formatWeekday(Number(day) - 1, "short")).join(" ")}`;
  const quiet = t("{from} to {to}, {zoneLabel}", { from, to, zoneLabel: zoneLabel(quietHours.timezone ?? timezone) }) + nights;
  const conditions = alertKinds.map((kind): ToldField => {
    const { bound, at } =
      kind === "failure_rate" || kind === "backlog" ? { bound: bounds[kind], at: [`bounds/${kind}`] } : { bound: null, at: [] };
    const on = bound === null ? t("On") : t("On, {bound} {value}", { bound, value: boundOf(kind)?.unit ?? "" });
    return { name: words[kind].label, text: enabled[kind] ? on : t("Off"), at: [`enabled/${kind}`, ...at] };
  });
  return [
    ...conditions,
    { name: t("Quiet hours"), text: isQuiet ? quiet : t("None"), at: ["isQuiet", "quietHours"] },
    ...(isQuiet
      ? [{ name: t("Alerts for a stopped account during quiet hours too"), text: urgentAlways ? t("Yes") : t("No"), at: ["urgentAlways"] }]
      : []),
    { name: t("Mail the week's figures"), text: weekly ? t("Yes") : t("No"), at: ["weekly"] },
  ];
}

/** The fields; an empty one for no number. */
interface Draft {
  enabled: Record<AlertKind, boolean>;
  bounds: Record<"failure_rate" | "backlog", number | "">;
  isQuiet: boolean;
  /** `timezone`: another than the account's, which programs may have set. */
  quietHours: { days: string[]; from: string; to: string; timezone?: string };
  urgentAlways: boolean;
  weekly: boolean;
}

const everyNight = { days: [1, 2, 3, 4, 5, 6, 7], from: "22:00", to: "07:00" };

function draftOf({ conditions, quietHours, urgentAlways, weekly }: AlertSettings): Draft {
  const { days, ...times } = quietHours ?? everyNight;
  return {
    enabled: Object.fromEntries(alertKinds.map((kind) => [kind, conditions[kind].enabled])) as Draft["enabled"],
    bounds: { failure_rate: conditions.failure_rate.bound ?? "", backlog: conditions.backlog.bound ?? "" },
    isQuiet: quietHours !== null,
    quietHours: { days: days.map(String), ...times },
    urgentAlways,
    weekly,
  };
}

function inputOf({ enabled, bounds, isQuiet, quietHours, urgentAlways, weekly }: Draft) {
  const numberOf = (bound: number | ""): number => (bound === "" ? Number.NaN : bound);
  const conditions = Object.fromEntries(alertKinds.map((kind) => [kind, { enabled: enabled[kind] }])) as Record<
    AlertKind,
    { enabled: boolean }
  >;
  return {
    conditions: {
      ...conditions,
      failure_rate: { ...conditions.failure_rate, bound: numberOf(bounds.failure_rate) },
      backlog: { ...conditions.backlog, bound: numberOf(bounds.backlog) },
    },
    quietHours: isQuiet ? { ...quietHours, days: quietHours.days.map(Number) } : null,
    urgentAlways,
    weekly,
  };
}

function RulesForm({ settings, timezone }: Props) {
  const update = trpc.alerts.update.useMutation({ onSuccess: (saved) => cache.alerts.settings.setData(undefined, saved) });
  const form = useInputForm({
    initialValues: draftOf(settings),
    toInput: inputOf,
    check: by(updateAlertsInput),
    submit: update.mutateAsync,
    members: ["conditions", "quietHours", "urgentAlways", "weekly"],
    versioned: {
      updatedAt: settings.updatedAt,
      fill: (current: AlertSettings) => draftOf(current),
      tell: (draft) => tellRules(draft, timezone),
    },
  });
  const { values, change, faults } = form;
  return (
    <InputForm form={form} label={t("Which alerts are sent, and when")} failure={t("The alerts were not changed")}>
      <Stack gap="sm">
        {alertKinds.map((kind) => (
          <Condition
            key={kind}
            kind={kind}
            draft={values}
            fault={faults[`conditions.${kind}.bound`]}
            onSwitch={(isOn) => change({ enabled: { ...values.enabled, [kind]: isOn } })}
            onBound={(bound) => change({ bounds: { ...values.bounds, [kind]: bound } })}
          />
        ))}
      </Stack>
      <Switch
        label={t("Quiet hours")}
        description={t(
          "E-mails and chats wait until quiet hours end and then arrive in one message. Webhooks and PagerDuty are told at once. {zoneLabel}",
          {
            zoneLabel: zoneLabel(values.quietHours.timezone ?? timezone),
          },
        )}
        checked={values.isQuiet}
        onChange={({ currentTarget }) => change({ isQuiet: currentTarget.checked })}
      />
      <Switch
        label={t("Mail the week's figures")}
        description={t("To the e-mail channels, on Mondays at 8:00. {zoneLabel}", { zoneLabel: zoneLabel(timezone) })}
        checked={values.weekly}
        onChange={({ currentTarget }) => change({ weekly: currentTarget.checked })}
      />
      {values.isQuiet && <QuietHours draft={values} change={change} mark={form.mark} />}
      <FormButtons form={form} saved={t("Saved")} />
    </InputForm>
  );
}

interface QuietHoursProps {
  draft: Draft;
  change: (changes: Partial<Draft>) => void;
  mark: (name: string) => object;
}

function QuietHours({ draft, change, mark }: QuietHoursProps) {
  const quiet = (changes: Partial<Draft["quietHours"]>) => change({ quietHours: { ...draft.quietHours, ...changes } });
  return (
    <Stack gap="sm" ms="xl" ps="md">
      <Group gap="sm" align="flex-start">
        <TextInput
          type="time"
          label={t("Start time")}
          value={draft.quietHours.from}
          {...mark("quietHours.from")}
          onChange={({ currentTarget }) => quiet({ from: currentTarget.value })}
        />
        <TextInput
          type="time"
          label={t("End time")}
          value={draft.quietHours.to}
          {...mark("quietHours.to")}
          onChange={({ currentTarget }) => quiet({ to: currentTarget.value })}
        />
      </Group>
      <Checkbox.Group
        label={t("Nights that begin on")}
        value={draft.quietHours.days}
        {...mark("quietHours.days")}
        onChange={(days) => quiet({ days })}
      >
        <Group gap="sm" mt={4}>
          {weekdays.map((name, index) => (
            <Checkbox
              key={name}
              value={String(index + 1)}
              label={formatWeekday(index, "short")}
              aria-label={formatWeekday(index, "long")}
            />
          ))}
        </Group>
      </Checkbox.Group>
      <Switch
        label={t("Also alert during quiet hours when the platform account is stopped")}
        checked={draft.urgentAlways}
        onChange={({ currentTarget }) => change({ urgentAlways: currentTarget.checked })}
      />
    </Stack>
  );
}

interface ConditionProps {
  kind: AlertKind;
  draft: Draft;
  fault: string | undefined;
  onSwitch: (isOn: boolean) => void;
  onBound: (bound: number | "") => void;
}

function Condition({ kind, draft: { enabled, bounds }, fault, onSwitch, onBound }: ConditionProps) {
  const { label, description, bound } = words[kind];
  return (
    <Stack gap="xs">
      <Switch
        label={label}
        description={description}
        checked={enabled[kind]}
        onChange={({ currentTarget }) => onSwitch(currentTarget.checked)}
      />
      {bound !== undefined && enabled[kind] && (kind === "failure_rate" || kind === "backlog") && (
        <NumberInput
          label={bound}
          aria-label={`${label}: ${bound}`}
          ms="xl"
          ps="md"
          maw="16rem"
          clampBehavior="none"
          allowDecimal={false}
          allowNegative={false}
          hideControls
          value={bounds[kind]}
          data-path={`conditions.${kind}.bound`}
          error={fault}
          onChange={(value) => onBound(typeof value === "number" ? value : "")}
        />
      )}
    </Stack>
  );
}
