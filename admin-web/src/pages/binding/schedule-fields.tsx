import { Button, Checkbox, Group, NativeSelect, Select, Stack, TagsInput, Text, TextInput } from "@mantine/core";
import { type ReactNode, useMemo } from "react";
import { describeSchedule, weekdays } from "shared/core/schedule/describe";
import { mergeSchedule, mostCancelEvents, scheduleMembers } from "shared/core/schedule/schedule";
import { sentenceCase } from "shared/core/text";
import { trpc } from "../../trpc.ts";
import { timeZoneChoices } from "../../ui/labels.ts";
import { Section } from "../../ui/page.tsx";
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

/** When the messages leave: each setting is a sentence, and all of them are told in one. */
export function ScheduleFields({ form, fields }: Props) {
  const draft = form.values.schedule;
  const change: Change = (changes) => form.change(({ schedule }) => ({ schedule: { ...schedule, ...changes } }));
  const part: PartProps = { form, fields, draft, change };
  const isWhole = form.issues.every(({ path: [member] }) => !Object.hasOwn(scheduleMembers, String(member)));
  return (
    <Section title="When it leaves">
      <Presets form={form} />
      <StartFields {...part} />
      <WindowFields {...part} />
      <CancelFields {...part} />
      <Part label="Start again when the event comes again" on={draft.hasRestart} onToggle={(hasRestart) => change({ hasRestart })}>
        <Sentence faults={[form.faults["restartBy"]]}>
          An event with the same
          <PathInput
            w="14rem"
            aria-label="Start again: path"
            fields={fields}
            value={draft.restartBy}
            error={form.faults["restartBy"] !== undefined}
            onChange={(restartBy) => change({ restartBy })}
          />
          replaces the message that waits.
        </Sentence>
      </Part>
      <ThrottleFields {...part} />
      <Part label="Never too late" on={draft.hasExpiry} onToggle={(hasExpiry) => change({ hasExpiry })}>
        <Sentence faults={[form.faults["expiresSeconds"]]}>
          Not later than
          <DurationFields
            name="Never too late"
            value={draft.expiry}
            fault={form.faults["expiresSeconds"]}
            onChange={(expiry) => change({ expiry })}
          />
          after it was due.
        </Sentence>
      </Part>
      <Text size="sm" role="status" className={classes["answer"] ?? ""}>
        {isWhole ? `${sentenceCase(describeSchedule(mergeSchedule(form.input)))}.` : "Some settings are not finished yet."}
      </Text>
    </Section>
  );
}

function Presets({ form }: { form: BindingForm }) {
  return (
    <Group gap="xs" role="group" aria-label="Presets">
      <Text size="sm" c="dimmed">
        Start from:
      </Text>
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
}

const starts = [
  { value: "now", label: "At once" },
  { value: "delay", label: "Some time after the event" },
  { value: "date", label: "By a date in the event" },
] as const;

function StartFields({ form, fields, draft, change }: PartProps) {
  const { faults } = form;
  return (
    <div className={classes["part"]}>
      <NativeSelect
        label="The message leaves"
        w="fit-content"
        data={[...starts]}
        value={draft.start}
        onChange={({ currentTarget: { value } }) => change({ start: starts.find((each) => each.value === value)?.value ?? "now" })}
      />
      {draft.start === "delay" && (
        <Sentence faults={[faults["delaySeconds"]]}>
          <DurationFields name="Delay" value={draft.delay} fault={faults["delaySeconds"]} onChange={(delay) => change({ delay })} />
          after the event.
        </Sentence>
      )}
      {draft.start === "date" && (
        <>
          <Sentence faults={[faults["dueAt.offsetSeconds"], faults["dueAt.path"]]}>
            <DurationFields
              name="Distance"
              value={draft.dateOffset}
              fault={faults["dueAt.offsetSeconds"]}
              onChange={(dateOffset) => change({ dateOffset })}
            />
            <NativeSelect
              aria-label="Before or after the date"
              data={["before", "after"]}
              value={draft.dateSide}
              onChange={({ currentTarget: { value } }) => change({ dateSide: value === "after" ? "after" : "before" })}
            />
            the date in
            <PathInput
              w="14rem"
              aria-label="Path of the date"
              fields={datesFirst(fields)}
              value={draft.datePath}
              error={faults["dueAt.path"] !== undefined}
              onChange={(datePath) => change({ datePath })}
            />
          </Sentence>
          <Sentence>
            If that is past,
            <NativeSelect
              aria-label="If that is past"
              data={[
                { value: "skip", label: "do not send" },
                { value: "send", label: "send at once" },
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

function WindowFields({ form: { faults }, draft, change }: PartProps) {
  const timezone = trpc.settings.get.useQuery().data?.timezone;
  const zones = useMemo(() => {
    const own = timezone === undefined ? "" : ` (${timezone.replaceAll("_", " ")})`;
    return [{ value: "", label: `The shop's time${own}` }, ...timeZoneChoices(draft.timezone || "UTC")];
  }, [timezone, draft.timezone]);
  const [from, to] = [faults["window.from"], faults["window.to"]];
  return (
    <Part label="Only at certain times" on={draft.hasWindow} onToggle={(hasWindow) => change({ hasWindow })}>
      <Sentence faults={[from, to]}>
        Between
        <TextInput
          type="time"
          aria-label="From"
          value={draft.from}
          error={from !== undefined}
          onChange={({ currentTarget }) => change({ from: currentTarget.value })}
        />
        and
        <TextInput
          type="time"
          aria-label="To"
          value={draft.to}
          error={to !== undefined}
          onChange={({ currentTarget }) => change({ to: currentTarget.value })}
        />
      </Sentence>
      <Checkbox.Group
        label="Days"
        value={draft.days.map(String)}
        error={faults["window.days"]}
        onChange={(days) => change({ days: days.map(Number) })}
      >
        <Group gap="sm" mt={4}>
          {weekdays.map((name, index) => (
            <Checkbox key={name} value={String(index + 1)} label={name.slice(0, 3)} aria-label={name} />
          ))}
        </Group>
      </Checkbox.Group>
      <Select
        label="Time zone"
        maw="22rem"
        data={zones}
        searchable
        allowDeselect={false}
        nothingFoundMessage="No such time zone: try a larger city nearby"
        comboboxProps={{ keepMounted: false }}
        value={draft.timezone}
        error={faults["window.timezone"]}
        onChange={(value) => change({ timezone: value ?? "" })}
      />
      <Text size="xs" c="dimmed">
        A message that is due at another time waits until then. The end may be after midnight.
      </Text>
    </Part>
  );
}

function CancelFields({ form, fields, draft, change }: PartProps) {
  const { siteId } = form.values;
  const names = trpc.events.names.useQuery({ siteId, limit: 200 }, { enabled: siteId !== "" && draft.hasCancel });
  const [faulty] = Object.keys(form.faults).filter((name) => name.startsWith("cancelOn.events"));
  const fault = faulty === undefined ? undefined : form.faults[faulty];
  const by = form.faults["cancelOn.by"];
  return (
    <Part label="Not if another event comes" on={draft.hasCancel} onToggle={(hasCancel) => change({ hasCancel })}>
      <TagsInput
        label="Events"
        description="Press Enter after each."
        inputWrapperOrder={["label", "input", "description", "error"]}
        maxTags={mostCancelEvents}
        data={names.data?.items.map(({ name }) => name) ?? []}
        value={draft.cancelEvents}
        error={fault}
        onChange={(cancelEvents) => change({ cancelEvents })}
      />
      <Sentence faults={[by]}>
        One of them with the same
        <PathInput
          w="14rem"
          aria-label="Not if another event comes: path"
          fields={fields}
          value={draft.cancelBy}
          error={by !== undefined}
          onChange={(cancelBy) => change({ cancelBy })}
        />
        cancels the message that waits.
      </Sentence>
    </Part>
  );
}

function ThrottleFields({ form: { faults }, draft, change }: PartProps) {
  const [most, per] = [faults["throttle.max"], faults["throttle.seconds"]];
  return (
    <Part label="Not too often to one phone" on={draft.hasThrottle} onToggle={(hasThrottle) => change({ hasThrottle })}>
      <Sentence faults={[most, per]}>
        At most
        <CountInput aria-label="Messages to one phone" value={draft.most} fault={most} onChange={(value) => change({ most: value })} />
        {draft.most.trim() === "1" ? "message" : "messages"} to one phone in
        <DurationFields name="Not too often" value={draft.per} fault={per} onChange={(value) => change({ per: value })} />
      </Sentence>
      <Text size="xs" c="dimmed">
        More are not sent: they stand as failed in the log.
      </Text>
    </Part>
  );
}

interface SwitchedProps {
  label: string;
  on: boolean;
  onToggle: (on: boolean) => void;
  children: ReactNode;
}

/** A setting that is off or has fields. */
function Part({ label, on, onToggle, children }: SwitchedProps) {
  return (
    <div className={classes["part"]} role="group" aria-label={label}>
      <Checkbox label={label} checked={on} onChange={({ currentTarget }) => onToggle(currentTarget.checked)} />
      {on && (
        <Stack gap="xs" pl="xl">
          {children}
        </Stack>
      )}
    </div>
  );
}

/** Words with fields among them, and below what is wrong with these. */
function Sentence({ faults = [], children }: { faults?: (string | undefined)[]; children: ReactNode }) {
  const [fault] = faults.filter((each) => each !== undefined);
  return (
    <div>
      <div className={classes["sentence"]}>{children}</div>
      {fault !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {fault}
        </Text>
      )}
    </div>
  );
}

interface DurationFieldsProps {
  name: string;
  value: DurationDraft;
  fault: string | undefined;
  onChange: (value: DurationDraft) => void;
}

function DurationFields({ name, value, fault, onChange }: DurationFieldsProps) {
  return (
    <>
      <CountInput aria-label={`${name}: number`} value={value.count} fault={fault} onChange={(count) => onChange({ ...value, count })} />
      <NativeSelect
        aria-label={`${name}: unit`}
        data={units.map(({ seconds, name: unit }) => ({
          value: String(seconds),
          label: value.count.trim() === "1" ? unit.slice(0, -1) : unit,
        }))}
        value={String(value.unit)}
        onChange={({ currentTarget }) => onChange({ ...value, unit: Number(currentTarget.value) })}
      />
    </>
  );
}

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
