import { Autocomplete, Button, Code, Group, NativeSelect, Stack, Text, VisuallyHidden } from "@mantine/core";
import IconTrash from "@tabler/icons-react/dist/esm/icons/IconTrash.mjs";
import { useId, useMemo, useState } from "react";
import { conditionOps, countryPath, judgeRules, mostRules, mostValues, takesList, takesNone } from "shared/core/conditions";
import { type JsonObject, lookUp, parseJson, textOf } from "shared/core/json";
import { opLabel } from "shared/core/reason";
import { attempt, sentenceCase } from "shared/core/text";
import { t } from "../../language.ts";
import { choicesOf } from "../../ui/base/labels.ts";
import { Columns } from "../../ui/base/layout.tsx";
import { QuietIcon } from "../../ui/base/more-actions.tsx";
import { Dimmed, News, rich } from "../../ui/base/page.tsx";
import { Fault } from "../../ui/form/input-form.tsx";
import { useFocusNext } from "../../ui/form/inputs.tsx";
import { asTyped } from "../../ui/form/pickers.tsx";
import { emptyRule, isWhole, type RuleDraft } from "./draft.ts";
import labels from "./labels.json";
import { FieldBox, type LearnedField, PathInput, Tags } from "./slot-fields.tsx";
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
  const { match, rules } = form.values.conditions;
  const title = useId();
  const list = useRuleList(form);
  const event = useMemo(() => readEvent(payload), [payload]);
  const judgements = event === null ? [] : judge(form.input.conditions, event);
  const fault = form.faults["conditions"] ?? form.faults["conditions.rules"];
  const offered = useMemo(() => [...fields, countryField], [fields]);
  return (
    <Stack gap="sm" role="group" aria-labelledby={title}>
      <div>
        <Text fw={600} id={title}>
          {t("Conditions")}
        </Text>
        <Dimmed>
          {rules.length === 0
            ? t("Every event of this name sends the message. Add conditions to send it only for some.")
            : t("Only events that meet the conditions send the message.")}{" "}
          {rich(t("<0>recipient.country</0> is the country of each recipient's phone."), <Code />)}
        </Dimmed>
      </div>
      {rules.length > 1 && (
        <NativeSelect label={t("Needed")} w="fit-content" data={choicesOf(labels.match)} {...form.at("conditions.match")} />
      )}
      {rules.map((rule, index) => (
        <RuleFields
          key={index}
          {...{ rule, index, form, event }}
          fieldId={list.fieldId(index)}
          fields={offered}
          judgement={judgements[index] ?? null}
          onRemove={() => list.remove(index)}
        />
      ))}
      <Group gap="sm">
        <Button id={list.addId} variant="light" size="xs" disabled={rules.length >= mostRules} onClick={list.add}>
          {t("Add condition")}
        </Button>
        <News>{describeResult(match, judgements)}</News>
      </Group>
      <Fault>{fault}</Fault>
      <VisuallyHidden role="status">{list.news}</VisuallyHidden>
    </Stack>
  );
}

/** Changes of the list. The focus follows; `news` is for screen readers. */
function useRuleList(form: BindingForm) {
  const prefix = useId();
  const [news, setNews] = useState("");
  const focusNext = useFocusNext();
  const [fieldId, addId] = [(index: number) => `${prefix}-${index}`, `${prefix}-add`];
  const set = (change: (rules: RuleDraft[]) => RuleDraft[], focus: string, said: string) => {
    focusNext(focus);
    setNews(said);
    form.change(({ conditions }) => ({ conditions: { ...conditions, rules: change(conditions.rules) } }));
  };
  return {
    news,
    fieldId,
    addId,
    add: () => set((rules) => [...rules, emptyRule], fieldId(form.values.conditions.rules.length), t("Condition added")),
    remove: (index: number) => set((rules) => rules.toSpliced(index, 1), addId, t("Condition {value} removed", { value: index + 1 })),
  };
}

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

const opChoices = () => conditionOps.map((value) => ({ value, label: sentenceCase(opLabel(value, t)) }));

function RuleFields({ rule, index, fieldId, form, fields, event, judgement, onRemove }: RuleFieldsProps) {
  const name = t("Condition {value}", { value: index + 1 });
  const at = `conditions.rules.${index}`;
  return (
    <FieldBox name={name}>
      <Group justify="space-between">
        <Text size="xs" fw={600}>
          {name}
        </Text>
        <QuietIcon aria-label={t("Remove {name}", { name })} onClick={onRemove}>
          <IconTrash size={16} aria-hidden />
        </QuietIcon>
      </Group>
      <Columns least="13rem">
        <PathInput id={fieldId} label={t("Field")} aria-label={t("{name}: field", { name })} fields={fields} {...form.at(`${at}.path`)} />
        <NativeSelect label={t("Test")} aria-label={t("{name}: test", { name })} data={opChoices()} {...form.at(`${at}.op`)} />
        <ValueField name={name} at={at} op={rule.op} form={form} seen={seenValues(rule.path.trim(), fields, event)} />
      </Columns>
      {judgement !== null && (
        <Text className={judgement.holds ? "" : (classes["empty"] ?? "")}>
          {t("{value} for the chosen event: the value is {value2}.", {
            value: judgement.holds ? t("Met") : t("Not met"),
            value2: judgement.saw === null ? t("missing") : `“${judgement.saw}”`,
          })}
        </Text>
      )}
    </FieldBox>
  );
}

interface ValueFieldProps {
  name: string;
  at: string;
  op: RuleDraft["op"];
  form: BindingForm;
  /** The values that are offered. */
  seen: string[];
}

function ValueField({ name, at, op, form, seen }: ValueFieldProps) {
  if (takesNone(op)) return null;
  if (!takesList(op)) {
    return (
      <Autocomplete
        label={t("Value")}
        aria-label={t("{name}: value", { name })}
        {...asTyped}
        maxDropdownHeight={280}
        data={seen}
        {...form.at(`${at}.value`)}
      />
    );
  }
  const [fault] = Object.entries(form.faults).flatMap(([path, each]) => (`${path}.`.startsWith(`${at}.value.`) ? [each] : []));
  return (
    <Tags
      label={t("Values")}
      aria-label={t("{name}: values", { name })}
      description={t("Press Enter after each.")}
      maxTags={mostValues}
      // A value may hold a comma.
      splitChars={[]}
      data={seen}
      {...form.at(`${at}.values`)}
      error={fault}
    />
  );
}

const readEvent = (text: string | null | undefined) =>
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
