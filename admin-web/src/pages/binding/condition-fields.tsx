import { ActionIcon, Autocomplete, Button, Code, Group, NativeSelect, Stack, TagsInput, Text, VisuallyHidden } from "@mantine/core";
import IconPlus from "@tabler/icons-react/dist/esm/icons/IconPlus.mjs";
import IconTrash from "@tabler/icons-react/dist/esm/icons/IconTrash.mjs";
import { useEffect, useId, useMemo, useRef, useState } from "react";
import { attempt } from "shared/core/attempt";
import { conditionOps, countryPath, judgeRules, mostRules, mostValues, takesList, takesNone } from "shared/core/conditions";
import { type JsonObject, parseJson } from "shared/core/json";
import { lookUp, textOf } from "shared/core/path";
import { opLabels } from "shared/core/reason";
import { sentenceCase } from "shared/core/text";
import { t } from "../../language.ts";
import { Fault } from "../../ui/input-form.tsx";
import { Dimmed, News } from "../../ui/page.tsx";
import { Rich } from "../../ui/rich.tsx";
import { emptyRule, isWhole, type RuleDraft } from "./draft.ts";
import { type LearnedField, PathInput } from "./slot-fields.tsx";
import type { BindingForm } from "./use-binding-form.ts";
import classes from "./binding.module.css";

interface ConditionFieldsProps {
  form: BindingForm;
  fields: readonly LearnedField[];
  /** The chosen event as JSON text; none while it is not known. */
  payload: string | null | undefined;
}

/** No field of the event: it is judged for each recipient. */
const countryField: LearnedField = { path: countryPath, type: "string", sample: "DE", lastSeenAt: "" };

/** When the binding fires: rules over the event's fields, each judged for the chosen event as a gateway would. */
export function ConditionFields({ form, fields, payload }: ConditionFieldsProps) {
  const { match, rules } = form.values;
  const title = useId();
  const list = useRuleList(form);
  const event = useMemo(() => readEvent(payload), [payload]);
  const judgements = event === null ? [] : judge(form.input.conditions, event);
  const fault = form.faults["conditions"] ?? form.faults["conditions.rules"];
  const offered = useMemo(() => [...fields, countryField], [fields]);
  return (
    <Stack gap="sm" role="group" aria-labelledby={title}>
      <div>
        <Text size="sm" fw={600} id={title}>
          {t("Conditions")}
        </Text>
        <Lead isEmpty={rules.length === 0} />
      </div>
      {rules.length > 1 && <MatchField form={form} />}
      {rules.map((rule, index) => (
        <RuleFields
          key={index}
          rule={rule}
          index={index}
          fieldId={list.fieldId(index)}
          form={form}
          fields={offered}
          event={event}
          judgement={judgements[index] ?? null}
          onRemove={() => list.remove(index)}
        />
      ))}
      <Group gap="sm">
        <Button
          id={list.addId}
          variant="default"
          size="xs"
          leftSection={<IconPlus size={14} aria-hidden />}
          disabled={rules.length >= mostRules}
          onClick={list.add}
        >
          {t("Add condition")}
        </Button>
        <News className={classes["outcome"] ?? ""}>{describeResult(match, judgements)}</News>
      </Group>
      <Fault>{fault}</Fault>
      <VisuallyHidden role="status">{list.news}</VisuallyHidden>
    </Stack>
  );
}

const MatchField = ({ form }: { form: BindingForm }) => (
  <NativeSelect
    label={t("Needed")}
    w="fit-content"
    data={[
      { value: "all", label: t("All conditions") },
      { value: "any", label: t("One condition is enough") },
    ]}
    value={form.values.match}
    onChange={({ currentTarget }) => form.change({ match: currentTarget.value === "any" ? "any" : "all" })}
  />
);

/** Changes of the list. The focus follows; `news` is for screen readers. */
function useRuleList(form: BindingForm) {
  const prefix = useId();
  const [news, setNews] = useState("");
  const focusNext = useRef<string | null>(null);
  useEffect(() => {
    if (focusNext.current !== null) document.getElementById(focusNext.current)?.focus();
    focusNext.current = null;
  });
  const [fieldId, addId] = [(index: number) => `${prefix}-${index}`, `${prefix}-add`];
  return {
    news,
    fieldId,
    addId,
    add: () => {
      focusNext.current = fieldId(form.values.rules.length);
      setNews(t("Condition added"));
      form.change(({ rules }) => ({ rules: [...rules, emptyRule] }));
    },
    remove: (index: number) => {
      focusNext.current = addId;
      setNews(t("Condition {value} removed", { value: index + 1 }));
      form.change(({ rules }) => ({ rules: rules.filter((_, at) => at !== index) }));
    },
  };
}

const Lead = ({ isEmpty }: { isEmpty: boolean }) => (
  <Dimmed>
    {isEmpty
      ? t("Every event of this name sends the message. Add conditions to send it only for some.")
      : t("Only events that meet the conditions send the message.")}{" "}
    <Rich text={t("<0>recipient.country</0> is the country of each recipient's phone.")}>
      <Code />
    </Rich>
  </Dimmed>
);

/** Whether a rule holds for the chosen event; null while the rule is not finished. */
type Judgement = ReturnType<typeof judgeRules>[number] | null;

const judge = (conditions: BindingForm["input"]["conditions"], event: JsonObject): Judgement[] =>
  (conditions?.rules ?? []).map((rule) =>
    isWhole(rule) && rule.path !== countryPath ? (judgeRules({ match: "all", rules: [rule] }, event)[0] ?? null) : null,
  );

/** Empty until every rule is finished and an event is chosen. */
function describeResult(match: "all" | "any", judgements: readonly Judgement[]): string {
  if (judgements.length === 0 || judgements.includes(null)) return "";
  const isMet = judgements[match === "all" ? "every" : "some"]((judgement) => judgement?.holds === true);
  return isMet ? t("The chosen event meets the conditions.") : t("The chosen event does not meet the conditions.");
}

interface RuleFieldsProps {
  rule: RuleDraft;
  index: number;
  fieldId: string;
  form: BindingForm;
  fields: readonly LearnedField[];
  event: JsonObject | null;
  judgement: Judgement;
  onRemove: () => void;
}

const opChoices = () => conditionOps.map((value) => ({ value, label: sentenceCase(opLabels[value](t)) }));

function RuleFields({ rule, index, fieldId, form, fields, event, judgement, onRemove }: RuleFieldsProps) {
  const name = t("Condition {value}", { value: index + 1 });
  const at = `conditions.rules.${index}`;
  const change = (changes: Partial<RuleDraft>) =>
    form.change(({ rules }) => ({ rules: rules.map((each, place) => (place === index ? { ...each, ...changes } : each)) }));
  return (
    <fieldset className={classes["slot"]} aria-label={name}>
      <Group justify="space-between">
        <Text size="xs" fw={600}>
          {name}
        </Text>
        <ActionIcon
          variant="subtle"
          color="gray"
          c="var(--mantine-color-text)"
          aria-label={t("Remove {name}", { name })}
          onClick={onRemove}
        >
          <IconTrash size={16} aria-hidden />
        </ActionIcon>
      </Group>
      <div className={classes["source"]}>
        <PathInput
          id={fieldId}
          label={t("Field")}
          aria-label={t("{name}: field", { name })}
          fields={fields}
          value={rule.path}
          error={form.faults[`${at}.path`]}
          onChange={(path) => change({ path })}
        />
        <NativeSelect
          label={t("Test")}
          aria-label={t("{name}: test", { name })}
          data={opChoices()}
          value={rule.op}
          onChange={({ currentTarget }) => change({ op: conditionOps.find((op) => op === currentTarget.value) ?? rule.op })}
        />
        <ValueField name={name} at={at} rule={rule} form={form} seen={seenValues(rule.path.trim(), fields, event)} onChange={change} />
      </div>
      <RuleOutcome judgement={judgement} />
    </fieldset>
  );
}

interface ValueFieldProps {
  name: string;
  at: string;
  rule: RuleDraft;
  form: BindingForm;
  /** The values that are offered. */
  seen: string[];
  onChange: (changes: Partial<RuleDraft>) => void;
}

function ValueField({ name, at, rule: { op, value, values }, form, seen, onChange }: ValueFieldProps) {
  if (takesNone(op)) return null;
  const fault = form.faults[`${at}.value`];
  if (!takesList(op)) {
    return (
      <Autocomplete
        label={t("Value")}
        aria-label={t("{name}: value", { name })}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxDropdownHeight={280}
        data={seen}
        value={value}
        error={fault}
        onChange={(text) => onChange({ value: text })}
      />
    );
  }
  const faulty = values.findIndex((_, place) => form.faults[`${at}.value.${place}`] !== undefined);
  return (
    <TagsInput
      label={t("Values")}
      aria-label={t("{name}: values", { name })}
      description={t("Press Enter after each.")}
      maxTags={mostValues}
      // A value may hold a comma.
      splitChars={[]}
      data={seen}
      value={values}
      error={fault ?? form.faults[`${at}.value.${faulty}`]}
      onChange={(next) => onChange({ values: next })}
    />
  );
}

function RuleOutcome({ judgement }: { judgement: Judgement }) {
  if (judgement === null) return null;
  const { holds, saw } = judgement;
  return (
    <Text size="sm" className={`${classes["outcome"]} ${holds ? "" : classes["empty"]}`}>
      {t("{value} for the chosen event: the value is {value2}.", {
        value: holds ? t("Met") : t("Not met"),
        value2: saw === null ? t("missing") : `“${saw}”`,
      })}
    </Text>
  );
}

const readEvent = (text: string | null | undefined): JsonObject | null =>
  typeof text === "string" ? attempt(() => parseJson(text) as JsonObject, null) : null;

const mostSeen = 20;
/** A learned sample of this length may be cut. */
const longestSample = 80;

/** The values that were seen at the path: in the chosen event, then in earlier ones. */
function seenValues(path: string, fields: readonly LearnedField[], event: JsonObject | null): string[] {
  if (path === "") return [];
  const found = event === null ? undefined : lookUp(event, path);
  const here = [found].flat().slice(0, mostSeen);
  const field = fields.find((each) => each.path === path);
  const texts = [
    ...here.map((value) => textOf(value, longestSample)),
    field?.sample,
    ...(field?.type === "boolean" ? ["true", "false"] : []),
  ];
  return [...new Set(texts)].filter((text): text is string => typeof text === "string" && text.length < longestSample);
}
