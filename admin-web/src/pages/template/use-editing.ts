import { useNavigate, useLocation } from "@tanstack/react-router";
import { type RefObject, useState, useMemo, useRef, useEffect } from "react";
import { sentenceCase } from "shared/core/text";
import { paths } from "../../paths.ts";
import { trpc } from "../../trpc.ts";
import { issuesOf } from "../../ui/use-input-form.ts";
import {
  type FieldFault,
  type Template,
  type TemplateValues,
  toFieldFault,
  draftFaults,
  isPastMending,
  submissionFaults,
  toUnchecked,
} from "./draft.ts";

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
  const [stopped, setStopped] = useState<{ goal: Goal; faults: FieldFault[] } | null>(null);
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

/** What is to be otherwise; of the values as they are by then, where it comes later than what it follows from. */
type Change = Partial<TemplateValues> | ((before: TemplateValues) => Partial<TemplateValues>);

/** What the server found wrong with the values that it got. */
export interface Refused {
  faults: FieldFault[];
  values: TemplateValues;
}

export type Draft = ReturnType<typeof useDraft>;

/**
 * The editor's fields. A fault stands at its field once somebody has left it or wanted to go on, and at once where more typing cannot mend it; what the server
 * said of a part stands until that part changes.
 */
function useDraft(initial: TemplateValues, refusedFaults: FieldFault[]) {
  const [values, setValues] = useState(initial);
  const [visited, setVisited] = useState<ReadonlySet<string>>(new Set());
  const [refused, setRefused] = useState<Refused>({ faults: refusedFaults, values: initial });
  const faults = useMemo(() => submissionFaults(values), [values]);
  const visit = (...fields: string[]) => setVisited((before) => new Set([...before, ...fields]));
  const said = refused.faults.filter(({ field }) => partOf(refused.values, field) === partOf(values, field));
  const errorAt = (field: string): string | undefined => {
    const isShown = (fault: FieldFault): boolean => visited.has(field) || isPastMending(fault);
    const fault = said.find((each) => each.field === field) ?? faults.find((each) => each.field === field && isShown(each));
    return fault && sentenceCase(fault.message);
  };
  return {
    values,
    faults,
    /** What forbids keeping it as it is. */
    blocking: () => {
      const fields = draftFaults(values);
      return faults.filter(({ field }) => fields.has(field));
    },
    change: (changes: Change) => setValues((before) => ({ ...before, ...(typeof changes === "function" ? changes(before) : changes) })),
    visit,
    /** What the server found wrong and nobody has changed since. */
    said,
    setRefused,
    errorAt,
    /** What the input of a field needs beside its value; the place in the form by which it is found. */
    at: (field: string) => ({ "data-field": field, error: errorAt(field), onBlur: () => afterClick(() => visit(field)) }),
  };
}

/** The value that the first name of a field's path stands for; each change makes a new one. */
function partOf(values: TemplateValues, field: string): unknown {
  const [part = ""] = field.split(".", 1);
  return part === "examples" ? values : values[part as keyof TemplateValues];
}

/** Runs it now, or once the click that is under way has met its mark: a message that comes meanwhile would move that away from under it. */
function afterClick(run: () => void): void {
  if (document.querySelector(":active") === null) run();
  else window.addEventListener("pointerup", () => setTimeout(run), { once: true });
}

type Goal = Refusal["asked"];

interface SavingOptions {
  /** What the server has of it already, if anything. */
  stored: Template | null;
  initial: TemplateValues;
  onRefused: (refusal: Refusal, values: TemplateValues) => void;
}

/** Keeps the editor's values on the server and, if that is the goal, submits them. A new template then has a page of its own, where a refused submission is told. */
function useSaving({ stored, initial, onRefused }: SavingOptions) {
  const cache = trpc.useUtils();
  const navigate = useNavigate();
  const [create, update] = [trpc.templates.create.useMutation(), trpc.templates.update.useMutation()];
  const submit = trpc.templates.submit.useMutation();
  const [saved, setSaved] = useState(initial);
  const [running, setRunning] = useState<Goal | null>(null);
  const isLeaving = useRef(false);
  const isChanged = (values: TemplateValues) => asText(values) !== asText(saved);

  const keep = async (values: TemplateValues): Promise<string> => {
    const input = toUnchecked(values, "given");
    if (stored === null) return (await create.mutateAsync(input)).template.id;
    if (isChanged(values)) await update.mutateAsync({ id: stored.id, ...input });
    setSaved(values);
    return stored.id;
  };
  const reach = async (values: TemplateValues, goal: Goal): Promise<void> => {
    const id = await keep(values).catch((error: unknown) => onRefused(refusalOf("save", error), values));
    if (id === undefined) return;
    const submitted = goal === "submit" ? submit.mutateAsync({ id }) : Promise.resolve();
    const refusal = await submitted.then(
      () => undefined,
      (error: unknown) => refusalOf("submit", error),
    );
    await cache.templates.invalidate();
    if (stored === null) {
      isLeaving.current = true;
      await navigate({ to: paths.template, params: { templateId: id }, replace: true, state: { refusal } });
    } else if (refusal !== undefined) onRefused(refusal, values);
  };
  return {
    running,
    isUnsaved: (values: TemplateValues) => !isLeaving.current && isChanged(values),
    run: (values: TemplateValues, goal: Goal) => {
      setRunning(goal);
      void reach(values, goal).finally(() => setRunning(null));
    },
  };
}

/** Fields that are not chosen have no say. */
const asText = (values: TemplateValues): string => JSON.stringify(toUnchecked(values, "whole"));

/** Why the template was not submitted, when its page is where that is told. It is told once: a reload, or coming back, begins without. */
export function useArrivedRefusal(): Refusal | undefined {
  const stated = useLocation({ select: ({ state }) => state.refusal });
  const [refusal] = useState(stated);
  const navigate = useNavigate();
  useEffect(() => {
    if (stated !== undefined) void navigate({ to: ".", replace: true, state: {} });
  }, [stated, navigate]);
  return refusal;
}

/** Why the server, or the platform behind it, did not do what was asked for. Plain data, so that it outlasts the way to the template's own page. */
export interface Refusal {
  asked: "save" | "submit";
  message: string;
  /** Empty where it is about no field. */
  faults: FieldFault[];
}

declare module "@tanstack/react-router" {
  interface HistoryState {
    refusal?: Refusal | undefined;
  }
}

function refusalOf(asked: Refusal["asked"], error: unknown): Refusal {
  const faults = issuesOf(error).map(({ path, message, reason }) => {
    // A header's file has one field here, whether it is given by address or as an upload.
    const field = path.join(".").replace("header.fileId", "header.url");
    return reason === undefined ? { field, message } : toFieldFault(field, reason);
  });
  return { asked, message: error instanceof Error ? error.message : String(error), faults };
}
