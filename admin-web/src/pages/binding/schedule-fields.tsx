import { Button, Checkbox, Group, NativeSelect, Select, Stack, TagsInput, Text, TextInput } from "@mantine/core";
import { type ReactNode, useMemo } from "react";
import { describeSchedule, weekdays } from "shared/core/schedule/describe";
import { mergeSchedule, mostCancelEvents, scheduleMembers } from "shared/core/schedule/schedule";
import { sentenceCase } from "shared/core/text";
import { formatWeekday } from "../../format.ts";
import { t } from "../../language.ts";
import { trpc } from "../../trpc.ts";
import { Fault } from "../../ui/input-form.tsx";
import { timeZoneChoices } from "../../ui/labels.ts";
import { Dimmed, News, Section } from "../../ui/page.tsx";
import { type DurationDraft, presets, type ScheduleDraft, units } from "./schedule-draft.ts";
import { datesFirst, type LearnedField, PathInput } from "./slot-fields.tsx";
import type { BindingForm } from "./use-binding-form.ts";
import classes from "./binding.module.css";

interface Props {
  form: BindingForm;
  fields: readonly LearnedField[];
}

type Change = (changes: Partial<ScheduleDraft>) => void;
type PartProps = Props & { draft: ScheduleDraft; change: Change };

/** Settings for when the messages leave: each is a sentence, and one sentence tells them all. */
export function ScheduleFields({ form, fields }: Props) {
  const draft = form.values.schedule;
  const change: Change = (changes) => form.change(({ schedule }) => ({ schedule: { ...schedule, ...changes } }));
  const part: PartProps = { form, fields, draft, change };
  const isWhole = form.issues.every(({ path: [member] }) => !Object.hasOwn(scheduleMembers, String(member)));
  return (
    <Section title={t("Timing")}>
      <Presets form={form} />
      <StartFields {...part} />
      <WindowFields {...part} />
      <CancelFields {...part} />
      <Part label={t("Restart the delay if the event repeats")} on={draft.hasRestart} onToggle={(hasRestart) => change({ hasRestart })}>
        <Sentence faults={[form.faults["restartBy"]]}>
          {t("An event with the same")}
          <MemberPath {...part} aria-label={t("Restart the delay: path")} member="restartBy" at="restartBy" />
          {t("replaces the waiting message.")}
        </Sentence>
      </Part>
      <ThrottleFields {...part} />
      <Part label={t("Expire unsent messages after…")} on={draft.hasExpiry} onToggle={(hasExpiry) => change({ hasExpiry })}>
        <Sentence faults={[form.faults["expiresSeconds"]]}>
          {t("Not later than")}
          <DurationFields
            name={t("Expire unsent messages after…")}
            value={draft.expiry}
            fault={form.faults["expiresSeconds"]}
            onChange={(expiry) => change({ expiry })}
          />
          {t("after it was due.")}
        </Sentence>
      </Part>
      <News className={classes["answer"] ?? ""}>
        {isWhole ? `${sentenceCase(describeSchedule(mergeSchedule(form.input), t))}.` : t("Some settings are not finished yet.")}
      </News>
    </Section>
  );
}

const Presets = ({ form }: { form: BindingForm }) => (
  <Group gap="xs" role="group" aria-label={t("Presets")}>
    <Dimmed>{t("Start from:")}</Dimmed>
    {presets.map(({ name, event, schedule }) => (
      <Button
        key={name}
        variant="default"
        size="xs"
        onClick={() =>
          form.change((before) => ({ schedule: schedule(before.schedule), ...(before.event === "" && event !== undefined && { event }) }))
        }
      >
        {name}
      </Button>
    ))}
  </Group>
);

const starts = [
  { value: "now", label: t("At once") },
  { value: "delay", label: t("Some time after the event") },
  { value: "date", label: t("Relative to a date in the event") },
] as const;

const dateSides = [
  { value: "before", label: t("before") },
  { value: "after", label: t("after") },
];

function StartFields(part: PartProps) {
  const { form, fields, draft, change } = part;
  const { faults } = form;
  return (
    <div className={classes["part"]}>
      <NativeSelect
        label={t("Send the message")}
        w="fit-content"
        data={[...starts]}
        value={draft.start}
        onChange={({ currentTarget: { value } }) => change({ start: starts.find((each) => each.value === value)?.value ?? "now" })}
      />
      {draft.start === "delay" && (
        <Sentence faults={[faults["delaySeconds"]]}>
          <DurationFields name={t("Delay")} value={draft.delay} fault={faults["delaySeconds"]} onChange={(delay) => change({ delay })} />
          {t("after the event.")}
        </Sentence>
      )}
      {draft.start === "date" && (
        <>
          <Sentence faults={[faults["dueAt.offsetSeconds"], faults["dueAt.path"]]}>
            <DurationFields
              name={t("Time before or after")}
              value={draft.dateOffset}
              fault={faults["dueAt.offsetSeconds"]}
              onChange={(dateOffset) => change({ dateOffset })}
            />
            <NativeSelect
              aria-label={t("Before or after the date")}
              data={dateSides}
              value={draft.dateSide}
              onChange={({ currentTarget: { value } }) => change({ dateSide: value === "after" ? "after" : "before" })}
            />
            {t("the date in")}
            <MemberPath {...part} fields={datesFirst(fields)} aria-label={t("Path of the date")} member="datePath" at="dueAt.path" />
          </Sentence>
          <Sentence>
            {t("If that is past,")}
            <NativeSelect
              aria-label={t("If that is past")}
              data={[
                { value: "skip", label: t("do not send") },
                { value: "send", label: t("send at once") },
              ]}
              value={draft.ifPast}
              onChange={({ currentTarget: { value } }) => change({ ifPast: value === "send" ? "send" : "skip" })}
            />
          </Sentence>
        </>
      )}
    </div>
  );
}

const dayChoices = weekdays.map((_, index) => ({
  value: String(index + 1),
  short: formatWeekday(index, "short"),
  long: formatWeekday(index, "long"),
}));

function WindowFields({ form: { faults }, draft, change }: PartProps) {
  const timezone = trpc.settings.get.useQuery().data?.timezone;
  const zones = useMemo(() => {
    const own = timezone === undefined ? "" : ` (${timezone.replaceAll("_", " ")})`;
    return [{ value: "", label: t("The shop's time{own}", { own }) }, ...timeZoneChoices(draft.timezone || "UTC")];
  }, [timezone, draft.timezone]);
  const [from, to] = [faults["window.from"], faults["window.to"]];
  return (
    <Part label={t("Only at certain times")} on={draft.hasWindow} onToggle={(hasWindow) => change({ hasWindow })}>
      <Sentence faults={[from, to]}>
        {t("Between")}
        <TextInput
          type="time"
          aria-label={t("Start time")}
          value={draft.from}
          error={from !== undefined}
          onChange={({ currentTarget }) => change({ from: currentTarget.value })}
        />
        {t("and")}
        <TextInput
          type="time"
          aria-label={t("End time")}
          value={draft.to}
          error={to !== undefined}
          onChange={({ currentTarget }) => change({ to: currentTarget.value })}
        />
      </Sentence>
      <Checkbox.Group
        label={t("Days")}
        value={draft.days.map(String)}
        error={faults["window.days"]}
        onChange={(days) => change({ days: days.map(Number) })}
      >
        <Group gap="sm" mt={4}>
          {dayChoices.map(({ value, short, long }) => (
            <Checkbox key={value} value={value} label={short} aria-label={long} />
          ))}
        </Group>
      </Checkbox.Group>
      <Select
        label={t("Time zone")}
        maw="22rem"
        data={zones}
        searchable
        allowDeselect={false}
        nothingFoundMessage={t("No such time zone: try a larger city nearby")}
        comboboxProps={{ keepMounted: false }}
        value={draft.timezone}
        error={faults["window.timezone"]}
        onChange={(value) => change({ timezone: value ?? "" })}
      />
      <Text size="xs" c="dimmed">
        {t("A message due outside these hours waits until they begin. The end may be after midnight.")}
      </Text>
    </Part>
  );
}

function CancelFields(part: PartProps) {
  const { form, draft, change } = part;
  const { siteId } = form.values;
  const names = trpc.events.names.useQuery({ siteId, limit: 200 }, { enabled: siteId !== "" && draft.hasCancel });
  const [faulty] = Object.keys(form.faults).filter((name) => name.startsWith("cancelOn.events"));
  const fault = faulty === undefined ? undefined : form.faults[faulty];
  return (
    <Part label={t("Cancel if another event comes")} on={draft.hasCancel} onToggle={(hasCancel) => change({ hasCancel })}>
      <TagsInput
        label={t("Events")}
        description={t("Press Enter after each.")}
        maxTags={mostCancelEvents}
        data={names.data?.items.map(({ name }) => name) ?? []}
        value={draft.cancelEvents}
        error={fault}
        onChange={(cancelEvents) => change({ cancelEvents })}
      />
      <Sentence faults={[form.faults["cancelOn.by"]]}>
        {t("One of them with the same")}
        <MemberPath {...part} aria-label={t("Cancel if another event comes: path")} member="cancelBy" at="cancelOn.by" />
        {t("cancels the waiting message.")}
      </Sentence>
    </Part>
  );
}

function ThrottleFields({ form: { faults }, draft, change }: PartProps) {
  const [most, per] = [faults["throttle.max"], faults["throttle.seconds"]];
  return (
    <Part label={t("Limit messages per phone")} on={draft.hasThrottle} onToggle={(hasThrottle) => change({ hasThrottle })}>
      <Sentence faults={[most, per]}>
        {t("At most")}
        <CountInput aria-label={t("Messages to one phone")} value={draft.most} fault={most} onChange={(value) => change({ most: value })} />
        {t("{value} to one phone in", { value: draft.most.trim() === "1" ? t("message") : t("messages") })}
        <DurationFields name={t("Limit period")} value={draft.per} fault={per} onChange={(value) => change({ per: value })} />
      </Sentence>
      <Text size="xs" c="dimmed">
        {t("Further messages are not sent; the log shows them as failed.")}
      </Text>
    </Part>
  );
}

/** A setting that is off or has fields. */
const Part = ({ label, on, onToggle, children }: { label: string; on: boolean; onToggle: (on: boolean) => void; children: ReactNode }) => (
  <div className={classes["part"]} role="group" aria-label={label}>
    <Checkbox label={label} checked={on} onChange={({ currentTarget }) => onToggle(currentTarget.checked)} />
    {on && (
      <Stack gap="xs" ps="xl">
        {children}
      </Stack>
    )}
  </div>
);

/** Words with fields among them, and the fields' faults below. */
function Sentence({ faults = [], children }: { faults?: (string | undefined)[]; children: ReactNode }) {
  const [fault] = faults.filter((each) => each !== undefined);
  return (
    <div>
      <div className={classes["sentence"]}>{children}</div>
      <Fault>{fault}</Fault>
    </div>
  );
}

interface MemberPathProps extends PartProps {
  "aria-label": string;
  member: "restartBy" | "datePath" | "cancelBy";
  /** The path of its faults. */
  at: string;
}

const MemberPath = ({ form, fields, draft, change, member, at, ...label }: MemberPathProps) => (
  <PathInput
    w="14rem"
    {...label}
    fields={fields}
    value={draft[member]}
    error={form.faults[at] !== undefined}
    onChange={(path) => change({ [member]: path })}
  />
);

interface DurationFieldsProps {
  name: string;
  value: DurationDraft;
  fault: string | undefined;
  onChange: (value: DurationDraft) => void;
}

const DurationFields = ({ name, value, fault, onChange }: DurationFieldsProps) => (
  <>
    <CountInput
      aria-label={t("{name}: number", { name })}
      value={value.count}
      fault={fault}
      onChange={(count) => onChange({ ...value, count })}
    />
    <NativeSelect
      aria-label={t("{name}: unit", { name })}
      data={units.map(({ seconds, name: unit }) => ({
        value: String(seconds),
        label: value.count.trim() === "1" ? unit.slice(0, -1) : unit,
      }))}
      value={String(value.unit)}
      onChange={({ currentTarget }) => onChange({ ...value, unit: Number(currentTarget.value) })}
    />
  </>
);

interface CountInputProps {
  "aria-label": string;
  value: string;
  fault: string | undefined;
  onChange: (value: string) => void;
}

const CountInput = ({ fault, onChange, ...props }: CountInputProps) => (
  <TextInput
    {...props}
    inputMode="numeric"
    autoComplete="off"
    w="4.5rem"
    error={fault !== undefined}
    onChange={({ currentTarget }) => onChange(currentTarget.value)}
  />
);
