import { type RefObject, useState } from "react";
import type { Fault } from "shared/core/template/check";
import type { Template } from "../template.ts";
import type { Refusal } from "./refusal.ts";
import type { TemplateValues } from "./template-values.ts";
import { useDraft } from "./use-draft.ts";
import { type Goal, useSaving } from "./use-saving.ts";

interface EditingOptions {
  stored: Template | null;
  initial: TemplateValues;
  refusal: Refusal | null;
  form: RefObject<HTMLFormElement | null>;
}

export type Editing = ReturnType<typeof useEditing>;

/** The editor's fields together with what was tried with them. */
export function useEditing({ stored, initial, refusal: arrived, form }: EditingOptions) {
  const [refusal, setRefusal] = useState(arrived);
  const [stopped, setStopped] = useState<{ goal: Goal; faults: Fault[] } | null>(null);
  const draft = useDraft(initial, arrived?.faults ?? []);
  const onRefused = (refused: Refusal, values: TemplateValues) => {
    setRefusal(refused);
    draft.setRefused({ faults: refused.faults, values });
  };
  const saving = useSaving({ stored, initial, onRefused });
  return {
    draft,
    refusal,
    /** What was found in the way of the last attempt. */
    stopped,
    running: saving.running,
    isUnsaved: () => saving.isUnsaved(draft.values),
    go: (field: string) => form.current?.querySelector<HTMLElement>(`[data-field="${field}"]`)?.focus(),
    attempt: (goal: Goal) => {
      const faults = goal === "save" ? draft.blocking() : draft.faults;
      draft.visit(...faults.map(({ field }) => field));
      setRefusal(null);
      setStopped(faults.length > 0 ? { goal, faults } : null);
      if (faults.length === 0) saving.run(draft.values, goal);
    },
  };
}
