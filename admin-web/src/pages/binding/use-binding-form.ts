import { slotGroups } from "shared/core/binding";
import { slotLabel } from "shared/core/reason";
import { describeParts, describeSchedule } from "shared/core/schedule/describe";
import { mergeSchedule } from "shared/core/schedule/merge";
import { type Schedule, scheduleNames } from "shared/core/schedule/schedule";
import type { TemplateDefinition } from "shared/core/template/definition";
import { sentenceCase } from "shared/core/text";
import { t } from "../../language.ts";
import { cache, type Outputs, trpc } from "../../trpc.ts";
import { describeConditions, describeRecipient, tableOf } from "../../ui/base/labels.ts";
import type { ToldField } from "../../ui/form/conflict.tsx";
import type { Versioned } from "../../ui/form/form-version.tsx";
import { useInputForm } from "../../ui/form/input-form.tsx";
import { describeSource } from "../../ui/template/variable-sources.ts";
import {
  type BindingDraft,
  bindingIssues,
  emptySlot,
  type SavedBinding,
  type SlotDraft,
  type SlotKey,
  templateSlots,
  toInput,
  unfilled,
} from "./draft.ts";
import labels from "./labels.json";

export type Binding = Outputs["bindings"]["get"]["binding"];

export type BindingForm = ReturnType<typeof useBindingForm>;

interface BindingFormOptions {
  initial: BindingDraft;
  save: (input: SavedBinding) => Promise<Binding>;
  onSaved: (binding: Binding) => void;
  versioned?: Versioned<BindingDraft>;
  again?: (input: SavedBinding) => Promise<Binding>;
}

const members = [
  "siteId",
  "event",
  "templateId",
  "recipient",
  "conditions",
  ...slotGroups.map(({ mapKey }) => `variableMap.${mapKey}`),
  ...scheduleNames,
];

/** A binding in the form, with its template. */
export function useBindingForm({ initial, save, onSaved, versioned, again }: BindingFormOptions) {
  const templateOf = (id: string) => cache.templates.get.getData({ id })?.template;
  const form = useInputForm({
    initialValues: initial,
    toInput: (draft) => toInput(draft, templateOf(draft.templateId)),
    check: (input, draft) => {
      const template = templateOf(input.templateId);
      const stored = versioned !== undefined && initial.templateId === input.templateId ? initial : undefined;
      return [...bindingIssues(input), ...(template === undefined ? [] : unfilled(input, draft, template, stored))];
    },
    members,
    submit: save,
    onSaved,
    versioned,
    again: again && { what: "binding", create: again },
  });
  const { values, change } = form;
  const chosen = trpc.templates.get.useQuery({ id: values.templateId }, { enabled: values.templateId !== "" });
  return {
    ...form,
    /** The chosen template, once it is loaded. */
    template: templateOf(values.templateId),
    templateError: chosen.error,
    /** False until the chosen template is loaded: saving without it would lose the variables. */
    maySave: values.templateId === "" || chosen.data !== undefined,
    changeSlot: (key: SlotKey, changes: Partial<SlotDraft>) =>
      change(({ slots }) => ({ slots: { ...slots, [key]: { ...emptySlot, ...slots[key], ...changes } } })),
  };
}

type NamedTemplate = TemplateDefinition & Pick<Outputs["templates"]["get"]["template"], "name" | "language">;

/** A binding in words. `template`: the binding's own, undefined until it is loaded. */
export function tellBinding(draft: BindingDraft, template: NamedTemplate | undefined, siteName: (id: string) => string): ToldField[] {
  const { siteId, event, recipient, conditions, variableMap, enabled, ...timing } = toInput(draft, template);
  const slots = template === undefined ? [] : templateSlots(template);
  const told = slots.map(({ key, group, index, name }) => {
    const spec = variableMap[group.mapKey]?.[String(index + 1)];
    return {
      name: sentenceCase(slotLabel({ group: group.mapKey, name }, t)),
      text: spec === undefined ? t("Not filled") : describeSource(spec),
      at: [`slots/${key}`],
    };
  });
  return [
    { name: t("Site"), text: siteName(siteId), at: ["siteId"] },
    { name: t("Event"), text: event, at: ["event"] },
    { name: t("Template"), text: template === undefined ? "" : `${template.name} (${template.language})`, at: ["templateId"] },
    { name: t("Status"), text: enabled ? t("Switched on") : t("Switched off"), at: ["enabled"] },
    { name: t("Recipient"), text: describeRecipient(recipient), at: ["recipient"] },
    { name: t("Conditions"), text: conditions === null ? "" : describeConditions(conditions), at: ["conditions"] },
    ...tellTiming(mergeSchedule(timing) ?? {}),
    ...told,
  ];
}

/** Each part by itself: two people may change different ones. */
function tellTiming({ delaySeconds, dueAt, ...others }: Schedule): ToldField[] {
  const start = describeSchedule({ ...(delaySeconds && { delaySeconds }), ...(dueAt && { dueAt }) }, t);
  const told: Partial<Record<string, string | number>> = { ...describeParts(others, t), start };
  return Object.entries(tableOf(labels.timing)).map(([part, name]) => ({
    name,
    text: sentenceCase(String(told[part] ?? "")),
    at: (part === "start" ? ["start", "delaySeconds", "dueAt"] : [part]).map((member) => `schedule/${member}`),
  }));
}
