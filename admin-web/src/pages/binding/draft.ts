import { type SlotGroup, slotGroups } from "shared/core/binding";
import { type ConditionOp, type ConditionRule, type Conditions, takesList, takesNone, textsOf } from "shared/core/conditions";
import { parseEventName } from "shared/core/event";
import type { RecipientStrategy } from "shared/core/recipient";
import type { TemplateDefinition } from "shared/core/template/definition";
import { slotNames, urlSlotsOf } from "shared/core/template/slots";
import type { ExpressionName, VariableMap, VarSpec } from "shared/core/variables";
import { t } from "../../language.ts";
import { by, type Issue, schemaOf } from "../../ui/form/input-issues.ts";
import {
  emptySchedule,
  inFieldWords,
  type SavedSchedule,
  type ScheduleDraft,
  toSchedule,
  toScheduleDraft,
  wholeSchedule,
} from "./schedule-draft.ts";

const missing = { siteId: t("Choose a site."), event: t("Enter the event name."), templateId: t("Choose a template.") } as const;

/** Everything that the server would refuse. */
export function bindingIssues(input: SavedBinding): Issue[] {
  const empty = (["siteId", "event", "templateId"] as const).filter((name) => input[name] === "");
  return [
    ...by("createBindingInput")(input).map((issue) => inFieldWords(issue, input)),
    ...empty.map((name) => ({ path: [name], message: missing[name] })),
    ...emptyValues(input),
  ];
}

/** Variables without a value, for want of which every message would fail, unless the binding is switched off. Those that are `stored` without one may stay so. */
export function unfilled(
  { enabled, variableMap }: SavedBinding,
  { slots }: BindingDraft,
  template: TemplateDefinition,
  stored?: BindingDraft,
): Issue[] {
  const before = stored?.enabled === true ? toVariableMap(stored.slots, template) : null;
  const lacks = (map: VariableMap, { group, index }: TemplateSlot) => map[group.mapKey]?.[String(index + 1)] === undefined;
  const empty = templateSlots(template).filter((slot) => enabled && lacks(variableMap, slot) && (before === null || !lacks(before, slot)));
  return empty.map(({ key, group, index }) => ({
    path: ["variableMap", group.mapKey, String(index + 1), slots[key]?.source === "static" ? "value" : "path"],
    message: t("Enter a value, or switch the binding off."),
  }));
}

/** Rules with an empty value. The server takes them, but they say nothing that another rule does not say better. */
const emptyValues = ({ conditions }: SavedBinding): Issue[] =>
  (conditions?.rules ?? []).flatMap((rule, index) =>
    rule.value === "" ? [{ path: ["conditions", "rules", index, "value"], message: t("Enter a value, or choose “is missing”.") }] : [],
  );

/** An unfinished binding, reduced to what can be previewed. */
export type Previewable = NonNullable<ReturnType<typeof previewable>>;

/**
 * Null while something essential is missing. Variables, conditions and members of the schedule that the server would refuse are left out. `hasRecipient`: false
 * while the recipient is incomplete; the preview then uses the test phone.
 */
export function previewable(binding: SavedBinding) {
  const { siteId, event, templateId, recipient, variableMap, conditions } = binding;
  const name = parseEventName(event);
  if (siteId === "" || templateId === "" || name === null) return null;
  const hasRecipient = takes("recipient", recipient);
  return {
    input: {
      siteId,
      event: name,
      templateId,
      recipient: hasRecipient ? recipient : { strategy: "test" as const },
      variableMap: withoutFaulty(variableMap),
      conditions: conditions && wholeConditions(conditions),
      ...wholeSchedule(binding, by("createBindingInput")(binding)),
    },
    hasRecipient,
  };
}

/** The conditions without the rules that are not finished yet. */
function wholeConditions({ match, rules }: Conditions): Conditions | null {
  const whole = rules.filter(isWhole);
  return whole.length === 0 ? null : { match, rules: whole };
}

/** Whether the server would take the rule. */
export const isWhole = (rule: ConditionRule) => rule.value !== "" && takes("conditions", { match: "all", rules: [rule] });

const takes = (member: "recipient" | "conditions", value: unknown): boolean =>
  schemaOf("createBindingInput")?.shape[member].safeParse(value).success ?? true;

function withoutFaulty(map: VariableMap): VariableMap {
  const places = (schemaOf("createBindingInput")?.shape.variableMap.safeParse(map).error?.issues ?? []).map(({ path }) =>
    path.slice(0, 2).join("."),
  );
  const groups = Object.entries(map).map(
    ([key, specs]) =>
      [key, Object.fromEntries(Object.entries(specs ?? {}).filter(([slot]) => !places.includes(`${key}.${slot}`)))] as const,
  );
  return Object.fromEntries(groups);
}

/** A variable of the template with its context. */
export interface TemplateSlot {
  key: SlotKey;
  group: SlotGroup;
  /** The variable's index from 0 within its group. */
  index: number;
  /** The name in the template, such as `1` or `first_name`. */
  name: string;
  /** The name in braces. */
  mark: string;
  /** The text on either side of its first use, shortened. */
  before: string;
  after: string;
}

const contextLength = 30;

/** The template's variables in the order of the message. */
export function templateSlots(definition: TemplateDefinition): TemplateSlot[] {
  const names = slotNames(definition);
  return slotGroups.flatMap((group) =>
    names[group.part].map((name, index) => ({
      key: `${group.mapKey}.${index + 1}` as const,
      group,
      index,
      name,
      mark: `{{${name}}}`,
      ...(group.part === "buttonUrl" ? aroundUrl(definition, index) : aroundText(definition, group.part, name)),
    })),
  );
}

type Around = Pick<TemplateSlot, "before" | "after">;

function aroundText({ header, body }: TemplateDefinition, part: "header" | "body", name: string): Around {
  const text = part === "body" ? body : header?.format === "TEXT" ? header.text : "";
  const [before = "", ...rest] = oneLine(text).split(`{{${name}}}`);
  return { before: tail(before), after: head(rest.join(`{{${name}}}`)) };
}

function aroundUrl(definition: TemplateDefinition, index: number): Around {
  const slot = urlSlotsOf(definition)[index];
  return { before: tail(slot?.fixed ?? ""), after: head(slot?.rest ?? "") };
}

const oneLine = (text: string): string => text.replaceAll(/\s+/gu, " ");

const tail = (text: string): string => (text.length > contextLength ? `…${text.slice(-contextLength)}` : text);
const head = (text: string): string => (text.length > contextLength ? `${text.slice(0, contextLength)}…` : text);

/** The draft as the server's input. Until `template` is known, no variable is filled. */
export function toInput(draft: BindingDraft, template: TemplateDefinition | undefined): SavedBinding {
  const { siteId, event, templateId, enabled, recipient, slots, conditions, schedule } = draft;
  return {
    siteId,
    event: event.trim(),
    templateId,
    recipient: toRecipient(recipient),
    variableMap: template === undefined ? {} : toVariableMap(slots, template),
    conditions: toConditions(conditions),
    ...toSchedule(schedule),
    enabled,
  };
}

/** A rule alone must hold, so that an event's trace names it. */
const toConditions = ({ match, rules }: BindingDraft["conditions"]): Conditions | null =>
  rules.length === 0 ? null : { match: rules.length === 1 ? "all" : match, rules: rules.map(toRule) };

function toRule({ path: typed, op, value, values }: RuleDraft): ConditionRule {
  const path = typed.trim();
  if (takesNone(op)) return { path, op };
  return takesList(op) ? { path, op, value: values } : { path, op, value };
}

function toRecipient({ strategy, phone, path }: BindingDraft["recipient"]): RecipientStrategy {
  if (strategy === "static_phone") return { strategy, phone };
  return strategy === "field_path" ? { strategy, path: path.trim() } : { strategy };
}

/** Leaves out variables that the template lacks, and empty ones. */
function toVariableMap(slots: BindingDraft["slots"], template: TemplateDefinition): VariableMap {
  const names = slotNames(template);
  const groups = slotGroups.map(({ mapKey, part }) => {
    const specs = names[part].flatMap((_, index) => {
      const spec = toSpec(slots[`${mapKey}.${index + 1}`]);
      return spec === undefined ? [] : [[String(index + 1), spec] as const];
    });
    return [mapKey, Object.fromEntries(specs)] as const;
  });
  return Object.fromEntries(groups.filter(([, specs]) => Object.keys(specs).length > 0));
}

function toSpec(slot: SlotDraft | undefined): VarSpec | undefined {
  if (slot === undefined) return undefined;
  const { source, value, expr } = slot;
  const path = slot.path.trim();
  const fallback = slot.fallback === "" ? {} : { fallback: slot.fallback };
  switch (source) {
    case "field":
      return path === "" && slot.fallback === "" ? undefined : { source, path, ...fallback };
    case "static":
      return value === "" ? undefined : { source, value };
    case "expression":
      return { source, expr, ...fallback };
  }
}

/** Group and number of a variable: `body.1`. */
export type SlotKey = `${keyof VariableMap}.${number}`;

/** The fields of one variable. Those of other sources keep their text while one is chosen. */
export type SlotDraft = Record<"path" | "value" | "fallback", string> & { source: VarSpec["source"]; expr: ExpressionName };

/** The fields of one rule. The value of the other kind of op stays while one is chosen. */
export interface RuleDraft {
  path: string;
  op: ConditionOp;
  value: string;
  values: string[];
}

export const emptyRule: RuleDraft = { path: "", op: "eq", value: "", values: [] };

/** The fields of the form, at the places of what they make. `slots` may hold some of an earlier template: only those of the chosen one count. */
export interface BindingDraft {
  siteId: string;
  event: string;
  templateId: string;
  recipient: { strategy: RecipientStrategy["strategy"]; phone: string; path: string };
  slots: Partial<Record<SlotKey, SlotDraft>>;
  conditions: { match: Conditions["match"]; rules: RuleDraft[] };
  schedule: ScheduleDraft;
  enabled: boolean;
}

/** A binding as the server takes it. */
export interface SavedBinding extends SavedSchedule {
  siteId: string;
  event: string;
  templateId: string;
  recipient: RecipientStrategy;
  variableMap: VariableMap;
  conditions: Conditions | null;
  enabled: boolean;
}

export const emptySlot: SlotDraft = { source: "field", path: "", value: "", expr: "customer.full_name", fallback: "" };

export const emptyDraft: BindingDraft = {
  siteId: "",
  event: "",
  templateId: "",
  recipient: { strategy: "customer", phone: "", path: "" },
  slots: {},
  conditions: { match: "all", rules: [] },
  schedule: emptySchedule,
  enabled: true,
};

export function toDraft(binding: SavedBinding): BindingDraft {
  const { siteId, event, templateId, recipient, variableMap, conditions, enabled } = binding;
  return {
    siteId,
    event,
    templateId,
    recipient: { ...emptyDraft.recipient, ...recipient },
    slots: Object.fromEntries(
      Object.entries(variableMap).flatMap(([key, specs]) =>
        Object.entries(specs ?? {}).map(([slot, spec]) => [`${key}.${slot}`, toSlot(spec)]),
      ),
    ),
    conditions: { match: conditions?.match ?? "all", rules: (conditions?.rules ?? []).map(toRuleDraft) },
    schedule: toScheduleDraft(binding),
    enabled,
  };
}

function toRuleDraft(rule: ConditionRule): RuleDraft {
  const values = textsOf(rule);
  return { path: rule.path, op: rule.op, ...(takesList(rule.op) ? { value: "", values } : { value: values[0] ?? "", values: [] }) };
}

const toSlot = (spec: VarSpec): SlotDraft => ({ ...emptySlot, ...spec, fallback: "fallback" in spec ? (spec.fallback ?? "") : "" });
