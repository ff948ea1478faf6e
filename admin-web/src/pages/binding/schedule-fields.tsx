import { Checkbox, Group, NativeSelect, Stack, TextInput } from "@mantine/core";
import { type ReactNode, useMemo } from "react";
import { describeSchedule } from "shared/core/schedule/describe";
import { mergeSchedule } from "shared/core/schedule/merge";
import { mostCancelEvents, scheduleNames } from "shared/core/schedule/schedule";
import { sentenceCase } from "shared/core/text";
import { t } from "../../language.ts";
import { trpc } from "../../trpc.ts";
import { SecondaryButton } from "../../ui/base/buttons.tsx";
import { choicesOf, timeZoneChoices } from "../../ui/base/labels.ts";
import { Dimmed, News, Section, Small } from "../../ui/base/page.tsx";
import { Fault } from "../../ui/form/input-form.tsx";
import { WeekdayChoice, ZoneSelect } from "../../ui/form/time-fields.tsx";
import labels from "./labels.json";
import { presets, units, withPreset } from "./schedule-draft.ts";
import { datesFirst, type LearnedField, PathInput, Tags } from "./slot-fields.tsx";
import type { BindingForm } from "./use-binding-form.ts";
import classes from "./binding.module.css";

type Props = { form: BindingForm; fields: readonly LearnedField[] };

/** The props of a field, with its fault. */
const field = (form: BindingForm, name: string) => ({ ...form.at(`schedule.${name}`), error: form.faults[name] });

/** The props of a field among words, below which its fault stands. `fault`: the member that it is a part of, where that is not its own. */
const among = (form: BindingForm, name: string, fault = name) => ({ ...field(form, name), error: form.faults[fault] !== undefined });

/** Settings for when the messages leave: each is a sentence, and one sentence tells them all. */
export function ScheduleFields({ form, fields }: Props) {
  const { faults } = form;
  const isWhole = form.issues.every(({ path: [member] }) => !scheduleNames.some((name) => name === member));
  return (
    <Section title={t("Timing")}>
      <Presets form={form} />
      <StartFields form={form} fields={fields} />
      <WindowFields form={form} />
      <CancelFields form={form} fields={fields} />
      <Part form={form} of="restartBy" label={t("Restart the delay if the event repeats")}>
        <Sentence fault={faults["restartBy"]}>
          {t("An event with the same")}
          <PathInput w="14rem" aria-label={t("Restart the delay: path")} fields={fields} {...among(form, "restartBy.path", "restartBy")} />
          {t("replaces the waiting message.")}
        </Sentence>
      </Part>
      <ThrottleFields form={form} />
      <Part form={form} of="expiresSeconds" label={t("Expire unsent messages after…")}>
        <Sentence fault={faults["expiresSeconds"]}>
          {t("Not later than")}
          <DurationFields form={form} of="expiresSeconds" name={t("Expire unsent messages after…")} />
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
    {presets.map((preset) => (
      <SecondaryButton
        key={preset.name}
        size="xs"
        onClick={() =>
          form.change(({ schedule, event }) => ({ schedule: withPreset(schedule, preset), event: event || (preset.event ?? "") }))
        }
      >
        {preset.name}
      </SecondaryButton>
    ))}
  </Group>
);

function StartFields({ form, fields }: Props) {
  const { faults } = form;
  const { start } = form.values.schedule;
  return (
    <Stack gap="xs" miw={0}>
      <NativeSelect label={t("Send the message")} w="fit-content" data={choicesOf(labels.starts)} {...field(form, "start")} />
      {start === "delay" && (
        <Sentence fault={faults["delaySeconds"]}>
          <DurationFields form={form} of="delaySeconds" name={t("Delay")} />
          {t("after the event.")}
        </Sentence>
      )}
      {start === "date" && (
        <>
          <Sentence fault={faults["dueAt.offsetSeconds"] ?? faults["dueAt.path"]}>
            <DurationFields form={form} of="dueAt.offsetSeconds" name={t("Time before or after")} />
            <NativeSelect aria-label={t("Before or after the date")} data={choicesOf(labels.sides)} {...among(form, "dueAt.side")} />
            {t("the date in")}
            <PathInput w="14rem" aria-label={t("Path of the date")} fields={datesFirst(fields)} {...among(form, "dueAt.path")} />
          </Sentence>
          <Sentence>
            {t("If that is past,")}
            <NativeSelect aria-label={t("If that is past")} data={choicesOf(labels.past)} {...among(form, "dueAt.ifPast")} />
          </Sentence>
        </>
      )}
    </Stack>
  );
}

function WindowFields({ form }: { form: BindingForm }) {
  const timezone = trpc.settings.get.useQuery(undefined, { staleTime: Infinity }).data?.timezone;
  const chosen = form.values.schedule.window.timezone;
  const zones = useMemo(() => {
    const own = timezone === undefined ? "" : ` (${timezone.replaceAll("_", " ")})`;
    return [{ value: "", label: t("The shop's time{own}", { own }) }, ...timeZoneChoices(chosen || "UTC")];
  }, [timezone, chosen]);
  return (
    <Part form={form} of="window" label={t("Only at certain times")}>
      <Sentence fault={form.faults["window.from"] ?? form.faults["window.to"]}>
        {t("Between")}
        <TextInput type="time" aria-label={t("Start time")} {...among(form, "window.from")} />
        {t("and")}
        <TextInput type="time" aria-label={t("End time")} {...among(form, "window.to")} />
      </Sentence>
      <WeekdayChoice label={t("Days")} {...field(form, "window.days")} />
      <ZoneSelect maw="22rem" data={zones} {...field(form, "window.timezone")} />
      <Small>{t("A message due outside these hours waits until they begin. The end may be after midnight.")}</Small>
    </Part>
  );
}

function CancelFields({ form, fields }: Props) {
  const { siteId, schedule } = form.values;
  const names = trpc.events.names.useQuery({ siteId, limit: 200 }, { enabled: siteId !== "" && schedule.cancelOn.on });
  const [faulty = ""] = Object.keys(form.faults).filter((name) => name.startsWith("cancelOn.events"));
  return (
    <Part form={form} of="cancelOn" label={t("Cancel if another event comes")}>
      <Tags
        label={t("Events")}
        description={t("Press Enter after each.")}
        maxTags={mostCancelEvents}
        data={names.data?.items.map(({ name }) => name) ?? []}
        {...field(form, "cancelOn.events")}
        error={form.faults[faulty]}
      />
      <Sentence fault={form.faults["cancelOn.by"]}>
        {t("One of them with the same")}
        <PathInput w="14rem" aria-label={t("Cancel if another event comes: path")} fields={fields} {...among(form, "cancelOn.by")} />
        {t("cancels the waiting message.")}
      </Sentence>
    </Part>
  );
}

function ThrottleFields({ form }: { form: BindingForm }) {
  const isOne = form.values.schedule.throttle.max.trim() === "1";
  return (
    <Part form={form} of="throttle" label={t("Limit messages per phone")}>
      <Sentence fault={form.faults["throttle.max"] ?? form.faults["throttle.seconds"]}>
        {t("At most")}
        <TextInput aria-label={t("Messages to one phone")} {...number} {...among(form, "throttle.max")} />
        {t("{value} to one phone in", { value: isOne ? t("message") : t("messages") })}
        <DurationFields form={form} of="throttle.seconds" name={t("Limit period")} />
      </Sentence>
      <Small>{t("Further messages are not sent and count as failed.")}</Small>
    </Part>
  );
}

interface PartProps {
  form: BindingForm;
  of: "window" | "cancelOn" | "restartBy" | "throttle" | "expiresSeconds";
  label: string;
  children: ReactNode;
}

/** A setting that is off or has fields. */
function Part({ form, of, label, children }: PartProps) {
  const { value: isOn, onChange } = form.at(`schedule.${of}.on`);
  return (
    <Stack gap="xs" miw={0} role="group" aria-label={label}>
      <Checkbox label={label} checked={isOn} onChange={onChange} />
      {isOn && (
        <Stack gap="xs" ps="xl">
          {children}
        </Stack>
      )}
    </Stack>
  );
}

/** Words with fields among them, and the fields' fault below. */
const Sentence = ({ fault, children }: { fault?: string | undefined; children: ReactNode }) => (
  <div>
    <Group gap="xs" fz="sm">
      {children}
    </Group>
    <Fault>{fault}</Fault>
  </div>
);

const number = { inputMode: "numeric", w: "4.5rem" } as const;

/** A number and its unit. `of`: the member that they make. */
function DurationFields({ form, of, name }: { form: BindingForm; of: string; name: string }) {
  const count = among(form, `${of}.count`, of);
  const isOne = (count.value as string).trim() === "1";
  const choices = units.map(({ seconds, name: unit }) => ({ value: String(seconds), label: isOne ? unit.slice(0, -1) : unit }));
  return (
    <>
      <TextInput aria-label={t("{name}: number", { name })} {...number} {...count} />
      <NativeSelect aria-label={t("{name}: unit", { name })} data={choices} {...among(form, `${of}.unit`)} />
    </>
  );
}
