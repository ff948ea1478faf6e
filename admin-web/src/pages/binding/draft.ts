import { mapErrors, type SlotGroup, slotGroups } from "shared/core/binding";
import { parseEventName } from "shared/core/event";
import type { ExpressionName } from "shared/core/expressions";
import { createBindingInput } from "shared/core/input/bindings";
import { describeReason } from "shared/core/reason";
import { recipientSchema, type RecipientStrategy } from "shared/core/recipient";
import type { TemplateDefinition } from "shared/core/template/definition";
import { slotNames, urlSlotsOf } from "shared/core/template/slots";
import { messageAtPlace, sentenceCase } from "shared/core/text";
import { variableMapSchema, type VariableMap, type VarSpec } from "shared/core/variables";
import type { Issue } from "../../ui/use-input-form.ts";

/** What is wrong, by the field's name, as in `variableMap.body.1.path`. */
export type Faults = Partial<Record<string, string>>;

const missing = { siteId: "Choose a site.", event: "Name the event.", templateId: "Choose a template." } as const;

/** What the server would refuse, by its own rules. */
export function findFaults(input: SavedBinding, template: TemplateDefinition | undefined): Faults {
  const result = createBindingInput.safeParse(input);
  const faults = placeIssues(result.error?.issues ?? []);
  for (const name of ["siteId", "event", "templateId"] as const) if (input[name] === "") faults[name] = missing[name];
  const ofMap = template === undefined ? [] : mapErrors(input.variableMap, template);
  return { ...placeIssues(ofMap.map((reason) => ({ path: ["variableMap"], message: "", reason }))), ...faults };
}

/** Each message at its field. */
export const placeIssues = (issues: readonly Issue[]): Faults =>
  Object.fromEntries(
    issues.map((issue): [string, string] => {
      const { path, reason } = issue;
      if (reason?.code !== "slot_gone") return [path.join("."), sentenceCase(messageAtPlace(issue))];
      return [`variableMap.${reason.group}.${reason.slot}`, describeReason(reason, "page")];
    }),
  );

/** A binding that is still being written, so that it can be tried out. */
export interface Previewable {
  input: Omit<SavedBinding, "enabled">;
  /** Whether the recipient can be tried out; one that is not whole yet is left out. */
  hasRecipient: boolean;
}

/** What of the input can be tried out: slots that the server would refuse count as not filled. Null while there is too little. */
export function previewable({ siteId, event, templateId, recipient, variableMap }: SavedBinding): Previewable | null {
  const name = parseEventName(event);
  if (siteId === "" || templateId === "" || name === null) return null;
  const hasRecipient = recipientSchema.safeParse(recipient).success;
  return {
    input: {
      siteId,
      event: name,
      templateId,
      recipient: hasRecipient ? recipient : { strategy: "test" },
      variableMap: withoutFaulty(variableMap),
    },
    hasRecipient,
  };
}

function withoutFaulty(map: VariableMap): VariableMap {
  const places = (variableMapSchema.safeParse(map).error?.issues ?? []).map(({ path }) => path.slice(0, 2).join("."));
  const groups = Object.entries(map).map(
    ([key, specs]) =>
      [key, Object.fromEntries(Object.entries(specs ?? {}).filter(([slot]) => !places.includes(`${key}.${slot}`)))] as const,
  );
  return Object.fromEntries(groups);
}

/** A slot as it is asked for. */
export interface TemplateSlot {
  key: SlotKey;
  group: SlotGroup;
  /** From 0, within its group. */
  index: number;
  /** What the template calls it, such as `1` or `first_name`… */
  name: string;
  /** …and as it writes it there. */
  mark: string;
  /** What the template has on either side of its first appearance, cut short. */
  before: string;
  after: string;
}

const contextLength = 30;

/** The template's slots in the order of the message. */
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

/** What the server takes for the draft. `template`: the chosen one; until it is known no slot is filled. */
export function toInput(draft: BindingDraft, template: TemplateDefinition | undefined): SavedBinding {
  const { siteId, event, templateId, enabled } = draft;
  const variableMap = template === undefined ? {} : toVariableMap(draft.slots, template);
  return { siteId, event: event.trim(), templateId, recipient: toRecipient(draft), variableMap, enabled };
}

function toRecipient({ strategy, phone, phonePath }: Pick<BindingDraft, "strategy" | "phone" | "phonePath">): RecipientStrategy {
  if (strategy === "static_phone") return { strategy, phone };
  return strategy === "field_path" ? { strategy, path: phonePath.trim() } : { strategy };
}

/** Only the slots that the template has, and of those only the ones that something was entered for. */
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

export type MapKey = keyof VariableMap;
/** A slot by its group and number: `body.1`. */
export type SlotKey = `${MapKey}.${number}`;

/** What fills a slot, as far as it was entered. What another source needs is kept while one is chosen. */
export interface SlotDraft {
  source: VarSpec["source"];
  path: string;
  value: string;
  expr: ExpressionName;
  fallback: string;
}

/** A binding as far as it was entered. `slots` may hold some of a template that was chosen before: only those of the chosen one count. */
export interface BindingDraft {
  siteId: string;
  event: string;
  templateId: string;
  strategy: RecipientStrategy["strategy"];
  phone: string;
  phonePath: string;
  slots: Partial<Record<SlotKey, SlotDraft>>;
  enabled: boolean;
}

/** A binding that was saved. */
export interface SavedBinding {
  siteId: string;
  event: string;
  templateId: string;
  recipient: RecipientStrategy;
  variableMap: VariableMap;
  enabled: boolean;
}

export const emptySlot: SlotDraft = { source: "field", path: "", value: "", expr: "customer.full_name", fallback: "" };

export const emptyDraft: BindingDraft = {
  siteId: "",
  event: "",
  templateId: "",
  strategy: "customer",
  phone: "",
  phonePath: "",
  slots: {},
  enabled: true,
};

export function toDraft({ siteId, event, templateId, recipient, variableMap, enabled }: SavedBinding): BindingDraft {
  return {
    siteId,
    event,
    templateId,
    strategy: recipient.strategy,
    phone: recipient.strategy === "static_phone" ? recipient.phone : "",
    phonePath: recipient.strategy === "field_path" ? recipient.path : "",
    slots: Object.fromEntries(
      Object.entries(variableMap).flatMap(([key, specs]) =>
        Object.entries(specs ?? {}).map(([slot, spec]) => [`${key}.${slot}`, toSlot(spec)]),
      ),
    ),
    enabled,
  };
}

const toSlot = (spec: VarSpec): SlotDraft => ({ ...emptySlot, ...spec, fallback: "fallback" in spec ? (spec.fallback ?? "") : "" });
