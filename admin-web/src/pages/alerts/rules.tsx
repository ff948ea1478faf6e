import { Card, Checkbox, Group, NumberInput, Stack, Switch, TextInput } from "@mantine/core";
import { type AlertKind, alertKinds, boundOf } from "shared/core/alert/alert";
import { updateAlertsInput } from "shared/core/input/alerts";
import { weekdays } from "shared/core/schedule/describe";
import { formatWeekday } from "../../format.ts";
import { t, translated } from "../../language.ts";
import { useMay } from "../../session.tsx";
import { cache, trpc } from "../../trpc.ts";
import type { ToldField } from "../../ui/conflict.tsx";
import { Facts, ToldFacts } from "../../ui/facts.tsx";
import { by, FormButtons, InputForm, useInputForm } from "../../ui/input-form.tsx";
import { zoneLabel } from "../../ui/labels.ts";
import { Section } from "../../ui/page.tsx";
import { kindLabel } from "../../ui/problem-kinds.ts";
import type { AlertSettings } from "./channels.tsx";
import labels from "./labels.json";

const boundKinds = ["failure_rate", "backlog"] as const;
type BoundKind = (typeof boundKinds)[number];
const hasBound = (kind: AlertKind): kind is BoundKind => boundOf(kind) !== null;
const boundLabels: Record<BoundKind, string> = { failure_rate: t("And at least (percent)"), backlog: t("For more than (minutes)") };

interface Props {
  settings: AlertSettings;
  timezone: string;
}

/** The conditions that channels are told of, and the hours in which people are told. */
export function AlertRules(props: Props) {
  const isOwner = useMay("owner");
  return (
    <Section title={t("Which alerts are sent, and when")}>
      <Card withBorder maw="40rem">
        {isOwner ? <RulesForm {...props} /> : <RulesFacts {...props} />}
      </Card>
    </Section>
  );
}

const RulesFacts = ({ settings, timezone }: Props) => (
  <Facts>
    <ToldFacts fields={tellRules(draftOf(settings), timezone)} />
  </Facts>
);

function tellRules({ enabled, bounds, isQuiet, quietHours, urgentAlways, weekly }: Draft, timezone: string): ToldField[] {
  const { days, from, to } = quietHours;
  const nights = days.length === 7 ? "" : `, ${days.map((day) => formatWeekday(Number(day) - 1, "short")).join(" ")}`;
  const quiet = t("{from} to {to}, {zoneLabel}", { from, to, zoneLabel: zoneLabel(quietHours.timezone ?? timezone) }) + nights;
  const conditions = alertKinds.map((kind): ToldField => {
    const on = hasBound(kind) ? t("On, {bound} {value}", { bound: bounds[kind], value: boundOf(kind)?.unit ?? "" }) : t("On");
    return {
      name: kindLabel(kind),
      text: enabled[kind] ? on : t("Off"),
      at: [`enabled/${kind}`, ...(hasBound(kind) ? [`bounds/${kind}`] : [])],
    };
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
  bounds: Record<BoundKind, number | "">;
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

function inputOf({ enabled, bounds, isQuiet, quietHours, ...others }: Draft) {
  const conditions = alertKinds.map((kind) => {
    const bound = hasBound(kind) && { bound: bounds[kind] === "" ? Number.NaN : bounds[kind] };
    return [kind, { enabled: enabled[kind], ...bound }];
  });
  return {
    conditions: Object.fromEntries(conditions) as Record<AlertKind, { enabled: boolean; bound?: number }>,
    quietHours: isQuiet ? { ...quietHours, days: quietHours.days.map(Number) } : null,
    ...others,
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
          <Condition key={kind} kind={kind} draft={values} fault={faults[`conditions.${kind}.bound`]} change={change} />
        ))}
      </Stack>
      <Switch
        label={t("Quiet hours")}
        description={t(
          "E-mails and chats wait until quiet hours end and then arrive in one message. Webhooks and PagerDuty are told at once. {zoneLabel}",
          { zoneLabel: zoneLabel(values.quietHours.timezone ?? timezone) },
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

interface PartProps {
  draft: Draft;
  change: (changes: Partial<Draft>) => void;
}

function QuietHours({ draft, change, mark }: PartProps & { mark: (name: string) => object }) {
  const quiet = (changes: Partial<Draft["quietHours"]>) => change({ quietHours: { ...draft.quietHours, ...changes } });
  return (
    <Stack gap="sm" ms="xl" ps="md">
      <Group gap="sm" align="flex-start">
        {(["from", "to"] as const).map((name) => (
          <TextInput
            key={name}
            type="time"
            label={name === "from" ? t("Start time") : t("End time")}
            value={draft.quietHours[name]}
            {...mark(`quietHours.${name}`)}
            onChange={({ currentTarget }) => quiet({ [name]: currentTarget.value })}
          />
        ))}
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

function Condition({ kind, draft: { enabled, bounds }, fault, change }: PartProps & { kind: AlertKind; fault: string | undefined }) {
  const label = kindLabel(kind);
  return (
    <Stack gap="xs">
      <Switch
        label={label}
        description={translated(labels.conditions[kind])}
        checked={enabled[kind]}
        onChange={({ currentTarget }) => change({ enabled: { ...enabled, [kind]: currentTarget.checked } })}
      />
      {hasBound(kind) && enabled[kind] && (
        <NumberInput
          label={boundLabels[kind]}
          aria-label={`${label}: ${boundLabels[kind]}`}
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
          onChange={(value) => change({ bounds: { ...bounds, [kind]: typeof value === "number" ? value : "" } })}
        />
      )}
    </Stack>
  );
}
