import { type Outputs, trpc } from "../../trpc.ts";
import { useInputForm } from "../../ui/input-form.tsx";
import { type BindingDraft, bindingIssues, emptySlot, type SavedBinding, type SlotDraft, type SlotKey, toInput } from "./draft.ts";

export type Binding = Outputs["bindings"]["get"]["binding"];

export type BindingForm = ReturnType<typeof useBindingForm>;

interface BindingFormOptions {
  initial: BindingDraft;
  save: (input: SavedBinding) => Promise<Binding>;
  onSaved: (binding: Binding) => void;
}

/** A binding in the form, with its template. */
export function useBindingForm({ initial, save, onSaved }: BindingFormOptions) {
  const cache = trpc.useUtils();
  const templateOf = (id: string) => cache.templates.get.getData({ id })?.template;
  const form = useInputForm({
    initialValues: initial,
    toInput: (draft) => toInput(draft, templateOf(draft.templateId)),
    check: bindingIssues,
    members: [
      "siteId",
      "event",
      "templateId",
      "recipient",
      "variableMap.header",
      "variableMap.body",
      "variableMap.button_url",
      "conditions",
      "delaySeconds",
      "window",
      "cancelOn",
      "restartBy",
      "dueAt",
      "expiresSeconds",
      "throttle",
    ],
    submit: save,
    onSaved,
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
