import { useState, type FormEvent } from "react";
import { type Outputs, trpc } from "../../trpc.ts";
import { issuesOf } from "../../ui/use-input-form.ts";
import {
  type BindingDraft,
  emptySlot,
  type SavedBinding,
  type SlotDraft,
  type SlotKey,
  type Faults,
  findFaults,
  placeIssues,
  toInput,
} from "./draft.ts";

export type Binding = Outputs["bindings"]["get"]["binding"];

export interface BindingForm {
  draft: BindingDraft;
  /** The chosen one, once it is known. */
  template: Outputs["templates"]["get"]["template"] | undefined;
  templateError: { message: string } | null;
  /** What the server would take now. */
  input: SavedBinding;
  /** Shown once it was tried to save. */
  faults: Faults;
  /** Why the server refused. */
  refusal: Error | null;
  /** Not before the chosen template is known: without it the slots would be lost. */
  maySave: boolean;
  isSaving: boolean;
  /** And nothing has changed since. */
  isSaved: boolean;
  isUnsaved: () => boolean;
  change: (changes: Partial<BindingDraft>) => void;
  changeSlot: (key: SlotKey, changes: Partial<SlotDraft>) => void;
  onSubmit: (event: FormEvent) => void;
  /** How often it could not be saved since it last was. */
  failures: number;
}

interface BindingFormOptions {
  initial: BindingDraft;
  /** Rejects when the server refuses. */
  save: (input: SavedBinding) => Promise<Binding>;
  onSaved: (binding: Binding) => void;
}

/** A binding while it is written. It is checked by the server's own rules, and what the server still refuses stands at its field until something changes. */
export function useBindingForm({ initial, save, onSaved }: BindingFormOptions): BindingForm {
  const [first] = useState(initial);
  const [draft, setDraft] = useState(first);
  const [saved, setSaved] = useState<BindingDraft | null>(null);
  const chosen = trpc.templates.get.useQuery({ id: draft.templateId }, { enabled: draft.templateId !== "" });
  const template = draft.templateId === "" ? undefined : chosen.data?.template;
  const input = toInput(draft, template);
  const { send, forget, refused, ...sending } = useSending();
  const maySave = draft.templateId === "" || template !== undefined;
  const isChanged = JSON.stringify(draft) !== JSON.stringify(saved ?? first);
  const change = (changes: Partial<BindingDraft>) => {
    setDraft((now) => ({ ...now, ...changes }));
    forget();
  };
  const work = async () => {
    const binding = await save(input);
    setSaved(draft);
    onSaved(binding);
  };
  return {
    draft,
    template,
    templateError: chosen.error,
    input,
    faults: sending.failures > 0 ? { ...refused, ...findFaults(input, template) } : {},
    ...sending,
    maySave,
    isSaved: saved !== null && !isChanged,
    isUnsaved: () => isChanged,
    change,
    changeSlot: (key, changes) => change({ slots: { ...draft.slots, [key]: { ...emptySlot, ...draft.slots[key], ...changes } } }),
    onSubmit: (event) => {
      event.preventDefault();
      if (maySave && !sending.isSaving) void send(findFaults(input, template), work);
    },
  };
}

/** What became of the last try to save. */
function useSending() {
  const [failures, setFailures] = useState(0);
  const [refused, setRefused] = useState<Faults>({});
  const [refusal, setRefusal] = useState<Error | null>(null);
  const [isSaving, setSaving] = useState(false);
  const forget = () => {
    setRefused({});
    setRefusal(null);
  };
  const send = async (faults: Faults, work: () => Promise<void>) => {
    forget();
    if (Object.keys(faults).length > 0) return setFailures((count) => count + 1);
    setSaving(true);
    try {
      await work();
      setFailures(0);
    } catch (error) {
      setRefused(placeIssues(issuesOf(error)));
      setRefusal(error instanceof Error ? error : new Error(String(error)));
      setFailures((count) => count + 1);
    } finally {
      setSaving(false);
    }
  };
  return { failures, refusal, refused, isSaving, send, forget };
}
