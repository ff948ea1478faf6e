import { Autocomplete, type AutocompleteProps, Group, NativeSelect, Paper, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ComponentProps, type ReactNode, useMemo } from "react";
import { parseEventName } from "shared/core/event";
import { parseIsoDate } from "shared/core/iso-date";
import type { TemplateDefinition } from "shared/core/template/definition";
import { urlSlotsOf } from "shared/core/template/slots";
import { expressionNames, type VarSpec } from "shared/core/variables";
import { t } from "../../language.ts";
import { type Outputs, trpc } from "../../trpc.ts";
import { AssistantButton } from "../../ui/assistant/assistant-button.tsx";
import { bound } from "../../ui/base/fields.ts";
import { choicesOf } from "../../ui/base/labels.ts";
import { Awaiting, part } from "../../ui/base/later.tsx";
import { Columns } from "../../ui/base/layout.tsx";
import { Dimmed, Section, Small } from "../../ui/base/page.tsx";
import { Fault, type Faults } from "../../ui/form/input-form.tsx";
import { readPhone } from "../../ui/form/inputs.tsx";
import { asTyped } from "../../ui/form/pickers.tsx";
import { expressionLabels } from "../../ui/template/variable-sources.ts";
import { templateSlots, type TemplateSlot, emptySlot, type SlotDraft } from "./draft.ts";
import labels from "./labels.json";
import { slotOutcome, type Preview, type SlotOutcome } from "./preview.tsx";
import { isEmptySlot, ProposeButton, useProposals } from "./proposals.tsx";
import type { BindingForm } from "./use-binding-form.ts";
import classes from "./binding.module.css";

interface SlotFieldsProps {
  form: BindingForm;
  fields: readonly LearnedField[];
  /** True until the fields are known. */
  isComing: boolean;
  preview: Preview | undefined;
}

export function SlotFields({ form, fields, isComing, preview }: SlotFieldsProps) {
  const { template } = form;
  const proposals = useProposals(form, fields);
  if (template === undefined) return null;
  const slots = templateSlots(template);
  return (
    <Section title={t("Variables")}>
      {slots.length > 0 && (
        <Group gap="sm">
          <ProposeButton proposals={proposals} isUseful={isComing ? undefined : fields.length > 0} />
          {fields.length > 0 && <AskAssistant form={form} slots={slots} />}
        </Group>
      )}
      {slots.length === 0 && <Dimmed>{t("The template has no variables: every message is the same.")}</Dimmed>}
      {slots.map((slot) => (
        <SlotField
          key={slot.key}
          slot={slot}
          place={placeOf(slot, template)}
          form={form}
          fields={fields}
          reason={proposals.reasonOf(slot.key, form.values.slots[slot.key] ?? emptySlot)}
          outcome={preview === undefined ? null : slotOutcome(template, slot, preview)}
        />
      ))}
    </Section>
  );
}

const LazyTags = part(async () => (await import("./tags.tsx")).Tags);

/** Several texts in one field. */
export const Tags = (props: ComponentProps<typeof LazyTags>) => (
  <Awaiting fallback={<TextInput label={props.label} description={props.description} disabled />}>
    <LazyTags {...props} />
  </Awaiting>
);

const AssistantDialog = part(async () => (await import("./assistant.tsx")).AssistantDialog);

/** Fills the variables that are still empty with the assistant's proposals. */
function AskAssistant({ form, slots }: { form: BindingForm; slots: readonly TemplateSlot[] }) {
  const { values, changeSlot } = form;
  return (
    <AssistantButton label={t("Ask the assistant")}>
      {({ opened, onClose }) => (
        <AssistantDialog
          siteId={values.siteId}
          event={parseEventName(values.event)}
          templateId={values.templateId}
          opened={opened}
          onClose={onClose}
          onAccept={(specs) => {
            for (const { key } of slots) {
              const spec = specs[key];
              if (spec !== undefined && isEmptySlot(values.slots[key] ?? emptySlot)) changeSlot(key, spec);
            }
            onClose();
          }}
        />
      )}
    </AssistantButton>
  );
}

function placeOf({ group, index }: TemplateSlot, template: TemplateDefinition): string {
  if (group.part === "header") return t("Header");
  if (group.part === "body") return t("Body");
  const button = template.buttons[urlSlotsOf(template)[index]?.index ?? -1];
  return t("Link of the button “{value}”", { value: button?.text ?? "" });
}

interface SlotFieldProps {
  slot: TemplateSlot;
  /** The variable's part of the message. */
  place: string;
  form: BindingForm;
  fields: readonly LearnedField[];
  /** The reason why the path was proposed. */
  reason: string | undefined;
  outcome: SlotOutcome | null;
}

/** One variable: its place, its source and its current value. */
function SlotField({ slot, place, form, fields, reason, outcome }: SlotFieldProps) {
  const { key, mark, before, after } = slot;
  const value = form.values.slots[key] ?? emptySlot;
  const change = (changes: Partial<SlotDraft>) => form.changeSlot(key, changes);
  const name = `${place} ${mark}`;
  const fault = form.faults[`variableMap.${key}`];
  return (
    <FieldBox name={name}>
      <Group justify="space-between" gap="xs">
        {/* The mark is isolated from the place's name, since it may run from right to left. */}
        <Text flex="1 1 12rem" miw={0}>
          <Text span size="xs" fw={600} me="0.6rem">
            {place}
          </Text>
          <bdi>
            <span className={classes["around"]}>{before}</span>
            <strong>{mark}</strong>
            <span className={classes["around"]}>{after}</span>
          </bdi>
        </Text>
        <SegmentedControl
          size="xs"
          data={choicesOf(labels.sources)}
          value={value.source}
          aria-label={t("Source of {name}", { name })}
          onChange={(source) => change({ source: source as VarSpec["source"] })}
        />
      </Group>
      <SlotSource name={name} value={value} fields={fields} faults={form.faults} at={`variableMap.${key}`} onChange={change} />
      <Fault>{fault}</Fault>
      {reason !== undefined && <Dimmed>{reason}</Dimmed>}
      {outcome !== null && "text" in outcome && (
        <Text>
          <span className={classes["around"]}>{t("Current value: ")}</span>
          <bdi>{outcome.text}</bdi>
        </Text>
      )}
      {outcome !== null && "reason" in outcome && (
        <Text className={classes["empty"] ?? ""}>{t("No value: {reason}", { reason: outcome.reason })}</Text>
      )}
    </FieldBox>
  );
}

/** The fields of one variable or one condition. */
export const FieldBox = ({ name, children }: { name: string; children: ReactNode }) => (
  <Paper component="fieldset" withBorder px="md" py="sm" m={0} miw={0} style={{ overflowWrap: "anywhere" }} aria-label={name}>
    <Stack gap="xs">{children}</Stack>
  </Paper>
);

interface SlotSourceProps {
  /** The field's name for screen readers. */
  name: string;
  value: SlotDraft;
  fields: readonly LearnedField[];
  faults: Faults;
  /** The path of the field's faults. */
  at: string;
  onChange: (changes: Partial<SlotDraft>) => void;
}

/** The fields of the chosen source. */
function SlotSource(props: SlotSourceProps) {
  const { name, value, fields, faults, at, onChange } = props;
  if (value.source === "static") {
    return (
      <TextInput
        label={t("Text")}
        aria-label={t("{name}: text", { name })}
        error={faults[`${at}.value`]}
        {...bound(value.value, (text) => onChange({ value: text }))}
      />
    );
  }
  return (
    <Columns least="13rem">
      {value.source === "field" ? (
        <PathInput
          label={t("Path")}
          aria-label={t("{name}: path", { name })}
          fields={fields}
          value={value.path}
          error={faults[`${at}.path`]}
          onChange={(path) => onChange({ path })}
        />
      ) : (
        <NativeSelect
          label={t("Expression")}
          aria-label={t("{name}: expression", { name })}
          data={expressionNames.map((value) => ({ value, label: expressionLabels[value] }))}
          error={faults[`${at}.expr`]}
          {...bound(value.expr, (name) => onChange({ expr: expressionNames.find((each) => each === name) ?? value.expr }))}
        />
      )}
      <TextInput
        label={t("If missing")}
        aria-label={t("{name}: if missing", { name })}
        placeholder={t("Do not send")}
        error={faults[`${at}.fallback`]}
        {...bound(value.fallback, (text) => onChange({ fallback: text }))}
      />
    </Columns>
  );
}

interface PathInputProps extends Omit<AutocompleteProps, "data" | "filter" | "renderOption"> {
  fields: readonly LearnedField[];
}

const shownOptions = 100;

/** A path into the event: any, or one seen before, found by name or by value. */
export function PathInput({ fields, ...props }: PathInputProps) {
  const byPath = new Map(fields.map((field) => [field.path, field]));
  return (
    <Autocomplete
      placeholder={fields.length === 0 ? "order.number" : t("Search by name or by value")}
      {...asTyped}
      limit={shownOptions}
      maxDropdownHeight={300}
      comboboxProps={{ position: "bottom-start" }}
      styles={{ dropdown: { minWidth: "min(22rem, 90vw)" } }}
      data={fields.map(({ path }) => path)}
      filter={({ options, search }) => {
        const paths = options.filter((option) => "value" in option);
        if (!byPath.has(search)) return paths.filter(({ value }) => fits(byPath.get(value), search));
        // All paths are offered beside a chosen one. The chosen path comes first: otherwise Enter after typing a whole path would choose another one.
        return paths.toSorted((a, b) => Number(b.value === search) - Number(a.value === search));
      }}
      renderOption={({ option }) => (
        <Group gap="sm" justify="space-between" wrap="nowrap" w="100%">
          <Text ff="monospace" style={{ overflowWrap: "anywhere" }}>
            {option.value}
          </Text>
          <Small truncate flex="0 1 auto" maw="50%">
            {byPath.get(option.value)?.sample ?? t("Empty")}
          </Small>
        </Group>
      )}
      {...props}
    />
  );
}

function fits(field: LearnedField | undefined, search: string): boolean {
  const words = search.toLowerCase().split(/\s+/u);
  const text = `${field?.path ?? ""} ${field?.sample ?? ""}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Fields that held a phone number, or are named like one, come first. */
export function phonesFirst(fields: readonly LearnedField[]): LearnedField[] {
  const isPhone = ({ path, sample }: LearnedField) => readPhone(sample ?? "").is === "whole" || /phone|mobile|whatsapp/iu.test(path);
  return [...fields.filter(isPhone), ...fields.filter((field) => !isPhone(field))];
}

/** Fields that held a date come first. */
export function datesFirst(fields: readonly LearnedField[]): LearnedField[] {
  const isDate = ({ sample }: LearnedField): boolean => parseIsoDate(sample ?? "", "UTC") !== null;
  return [...fields.filter(isDate), ...fields.filter((field) => !isDate(field))];
}

export type LearnedField = Outputs["events"]["fields"]["fields"][number];

const learnMs = 5_000;

/** The values of earlier events of that site and name, and those of a pasted one. */
export function useLearnedFields(siteId: string, name: string, pasted: string | null) {
  const event = parseEventName(name);
  const isNamed = siteId !== "" && event !== null;
  const learned = trpc.events.fields.useQuery(
    { siteId, event: event ?? "" },
    // The learner may be behind the newest events.
    { enabled: isNamed, refetchInterval: ({ state }) => state.data?.fields.length === 0 && learnMs },
  );
  const stored = isNamed ? learned.data?.fields : undefined;
  const { data: learner } = useQuery({
    queryKey: ["pasted-payload"],
    queryFn: () => import("./pasted-payload.tsx"),
    enabled: pasted !== null,
    staleTime: Infinity,
  });
  const all = useMemo(() => [...(learner?.fieldsOf(pasted, stored ?? []) ?? []), ...(stored ?? [])], [learner, pasted, stored]);
  const samples = new Map(all.map(({ path, sample }) => [path, sample]));
  const comparable = all.filter(({ path, type }) => type !== "object" && !path.includes("[]"));
  return {
    isComing: learned.isLoading,
    /** Fields that messages can take. */
    fields: all.filter(isValue),
    /** Fields that conditions can compare: lists too, each with an element's sample. */
    comparable: comparable.map((field) => (field.type === "array" ? { ...field, sample: samples.get(`${field.path}[]`) ?? null } : field)),
  };
}

/** Whether the field has a value of its own. Objects and lists would be sent as JSON; the elements of a list are offered by number. */
const isValue = ({ path, type }: LearnedField): boolean => type !== "object" && type !== "array" && !path.includes("[]");
