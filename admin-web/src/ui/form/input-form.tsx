import { Button, type ButtonProps, Group, Stack, Text } from "@mantine/core";
import { type GetInputPropsReturnType, useForm } from "@mantine/form";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { sentenceCase } from "shared/core/text";
import { t } from "../../language.ts";
import { SecondaryButton } from "../base/buttons.tsx";
import { doing } from "../base/fields.ts";
import { News, FailureNotice } from "../base/page.tsx";
import { FormConflict, type Rebased, useVersion, type Versioned } from "./form-version.tsx";
import { areSchemasLoaded, type Issue, loadSchemas, type Refusal, refusalOf, useSchemas, waking } from "./input-issues.ts";
import { UnsavedGuard } from "./unsaved-guard.tsx";
import classes from "../base/ui.module.css";

/** Error messages by the path of their member, as in `variableMap.body.1.path`. */
export type Faults = Partial<Record<string, string>>;

interface InputFormOptions<Values, Input, Result> {
  initialValues: Values;
  /** The server's input for the values of the fields; these themselves unless given. */
  toInput?: (values: Values) => Input;
  /** The faults of the input before it is sent. */
  check: (input: NoInfer<Input>, values: Values) => readonly Issue[];
  /** Rejects when the server refuses; answers false if nothing is saved yet, as after a question. */
  submit: (input: Input) => Promise<Result | false>;
  /** Runs when the form is clean again, so it may navigate. */
  onSaved?: (result: Result) => unknown;
  /** The fields after a save; as sent unless given. */
  afterSave?: (sent: Values) => Values;
  /** The members that have a field; those of `initialValues` unless given. A refusal of any other member stands above the form. */
  members?: readonly string[];
  /** Shows a field's fault also when the field is left. */
  checksOnLeave?: boolean;
  /** A refusal from the page before. */
  refusal?: Refusal | undefined;
  /** What the fields were filled from, if others may change it meanwhile. The input then names its version, and a save over another one asks first. */
  versioned?: Versioned<Values> | undefined;
  /** Makes what was deleted meanwhile anew; `what` the server calls it. */
  again?: Again<Input, Result> | undefined;
}

/** Only values that are an input by themselves need no `toInput`. */
type FormOptions<Values, Input, Result> = InputFormOptions<Values, Input, Result> & (Values extends Input ? unknown : { toInput: unknown });

export interface Again<Input, Result> {
  what: string;
  create: (input: Input) => Promise<Result | false>;
}

/**
 * The dashboard's one form: an input of the API while it is written. A fault shows at its field once an attempt failed on it, and goes as soon as it is
 * corrected. A fault that the server found shows until that member of the input changes.
 */
export function useInputForm<Values extends object, Result, Input = Values>(options: FormOptions<Values, Input, Result>) {
  const { initialValues, toInput = (given: Values) => given as Values & Input, check, members = Object.keys(initialValues) } = options;
  const wake = useSchemas();
  const form = useForm({ initialValues: initialValues as Values & Record<string, unknown> });
  const values: Values = form.values;
  const input = toInput(values);
  const issues = check(input, values);
  const attempts = useAttempts(options.refusal && { ...options.refusal, input: toInput(initialValues) });
  const shown = shownOf(issues, attempts, { input, members });
  const isUnsaved = () => !isSame(form.getValues(), form.getInitialValues());
  const markSaved = (saved: Values = form.getValues()) => {
    form.setInitialValues(saved as Values & Record<string, unknown>);
    attempts.setSaved(true);
  };
  const version = useVersion<Values>(options.versioned, (theirs, mine) => {
    form.setInitialValues(theirs as Values & Record<string, unknown>);
    form.setValues(mine);
  });

  /** Sends the input unless there are issues. `blocking`: the issues that count. `from`: the fields over what stands now, after a conflict. */
  const send = async (submit = options.submit, blocking?: readonly Issue[], from?: Rebased<Values>) => {
    const begun = from ?? { updatedAt: version.updatedAt, base: form.getInitialValues(), values };
    const keep = (rebased: Rebased<Values>) => void send(submit, [], rebased);
    const { again } = options;
    const anew = again && { ...again, run: () => void send((input) => again.create({ ...input, ifUpdatedAt: undefined }), []) };
    const judged = blocking ?? (() => check(input, values));
    const done = await attempts.run(toInput(begun.values), judged, () => version.send(begun, toInput, submit, keep), anew);
    if (done === false) return;
    const saved = options.afterSave?.(done.sent) ?? done.sent;
    if (saved !== values) form.setValues(saved);
    markSaved(saved);
    await options.onSaved?.(done.answer);
  };
  /** Marks an element as the place of a member's faults. */
  const mark = (name: string) => ({
    "data-path": name,
    error: shown.faults[name],
    ...(options.checksOnLeave === true && { onBlur: () => afterClick(() => attempts.visit([name])) }),
  });
  return {
    values,
    input,
    issues,
    ...shown,
    failures: attempts.failures,
    isSaving: attempts.isSaving,
    isSaved: attempts.isSaved && !isUnsaved(),
    isUnsaved,
    /** What somebody else has saved since the fields were filled, and the choice that it asks for. */
    conflict: version.conflict,
    change: waking(wake, form.setValues as (changes: Partial<Values> | ((before: Values) => Partial<Values>)) => void),
    mark,
    /** The props of an input. `name` is the path of its value. */
    at: (name: string) => ({ ...(form.getInputProps(name as never) as Required<InputProps>), onFocus: wake, ...mark(name) }),
    reset: form.reset,
    markSaved,
    send,
    onSubmit: doing(() => send()),
  };
}

/** What shows of the issues, and of the last refusal. */
function shownOf(
  issues: readonly Issue[],
  { refused, visited }: { refused: (Refusal & { input: unknown }) | null; visited: ReadonlySet<string> },
  { input, members }: { input: unknown; members: readonly string[] },
) {
  const refusedIssues = (refused?.issues ?? []).filter(({ path }) => isSame(memberAt(refused?.input, path), memberAt(input, path)));
  const shown = issues.filter((issue) => issue.isFinal === true || visited.has(nameOf(issue)));
  const isAboutFields = refused !== null && refused.issues.length > 0 && refused.issues.every((issue) => isWithin(members, issue));
  return {
    /** The last refusal, and its issues that are still there. */
    refused,
    refusedIssues,
    faults: faultsOf([...refusedIssues, ...shown]),
    /** The refusal, if it is not only about fields. */
    refusal: isAboutFields ? null : refused,
  };
}

/** The props of a text area whose lines are a list's items: it shows the faults of each. */
export function linesAt<Props>(form: { faults: Faults; at: (name: string) => Props }, name: string) {
  const faults = Object.entries(form.faults).flatMap(([path, fault]) => (`${path}.`.startsWith(`${name}.`) ? (fault ?? []) : []));
  return { ...form.at(name), error: faults.join(" ") || undefined };
}

/** The attempts to send an input, and how the last one ended. */
function useAttempts<Input>(arrived: (Refusal & { input: Input }) | undefined) {
  const [refused, setRefused] = useState(arrived ?? null);
  const [visited, setVisited] = useState<ReadonlySet<string>>(new Set());
  const [failures, setFailures] = useState(0);
  const [isSaving, setSaving] = useState(false);
  const [isSaved, setSaved] = useState(false);
  const visit = (names: string[]) => setVisited((before) => new Set([...before, ...names]));
  const fail = () => {
    setFailures((count) => count + 1);
    return false as const;
  };
  const run = async <Result,>(
    input: Input,
    judged: readonly Issue[] | (() => readonly Issue[]),
    submit: (input: Input) => Promise<Result | false>,
    again?: { what: string; run: () => void },
  ) => {
    if (isSaving) return false;
    setSaved(false);
    setRefused(null);
    try {
      if (!areSchemasLoaded()) {
        setSaving(true);
        await loadSchemas();
      }
      const blocking = typeof judged === "function" ? judged() : judged;
      visit(blocking.map(nameOf));
      if (blocking.length > 0) return fail();
      setSaving(true);
      const result = await submit(input);
      setFailures(0);
      return result;
    } catch (error) {
      const refusal = await refusalOf(error);
      const isGone = again !== undefined && refusal.data?.gone.what === again.what;
      setRefused({ ...refusal, input, ...(isGone && { again: again.run }) });
      return fail();
    } finally {
      setSaving(false);
    }
  };
  return { refused, visited, visit, failures, isSaving, isSaved, setSaved, run };
}

const nameOf = ({ path }: Issue): string => path.join(".");

const isWithin = (members: readonly string[], issue: Issue): boolean => members.some((name) => `${nameOf(issue)}.`.startsWith(`${name}.`));

const faultsOf = (issues: readonly Issue[]) => Object.fromEntries(issues.map((issue) => [nameOf(issue), sentenceCase(issue.message)]));

const memberAt = (input: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((member, key) => (member as Partial<Record<PropertyKey, unknown>> | null | undefined)?.[key], input);

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Waits for a click in progress to end, so that a new error message does not move the button away. */
function afterClick(run: () => void): void {
  if (document.querySelector(":active") === null) run();
  else window.addEventListener("pointerup", () => setTimeout(run), { once: true });
}

type InputProps = Pick<GetInputPropsReturnType, "value" | "onChange">;

type FormState = Pick<
  ReturnType<typeof useInputForm<object, unknown>>,
  "faults" | "refusal" | "conflict" | "failures" | "isSaving" | "isSaved" | "isUnsaved" | "onSubmit"
>;

interface InputFormProps extends Omit<FormButtonsProps, "form" | "children"> {
  form: FormState;
  label?: string;
  /** The title of a refusal. */
  failure: string;
  /** False if leaving the form loses nothing that matters. */
  isGuarded?: boolean;
  children: ReactNode;
}

/** A form with its refusal on top. It asks before unsaved changes are left, and a failed attempt moves the focus to the first fault. */
export function InputForm({ form, label, failure, isGuarded = true, children, ...buttons }: InputFormProps) {
  const element = useFocusOnFault(form.failures);
  return (
    <form ref={element} onSubmit={form.onSubmit} aria-label={label} noValidate>
      {isGuarded && <UnsavedGuard isUnsaved={form.isUnsaved} />}
      <Stack>
        <FailureNotice title={failure} error={form.refusal} />
        <FormConflict form={form} />
        {children}
        {(buttons.submit ?? buttons.saved) !== undefined && <FormButtons form={form} {...buttons} />}
      </Stack>
    </form>
  );
}

/** Moves the focus to the first fault after each failed attempt. */
function useFocusOnFault(failures: number) {
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const field = failures > 0 && element.current?.querySelector<HTMLElement>("[aria-invalid=true], input[data-invalid]");
    if (!field) return;
    field.focus();
    // What it suggests would hide the fault below it.
    if (field.getAttribute("aria-haspopup") === "listbox")
      setTimeout(() => field.dispatchEvent(new FocusEvent("focusout", { bubbles: true })));
  }, [failures]);
  return element;
}

/** The one button of a form that fills a card. */
export const SubmitButton = ({ form, ...button }: ButtonProps & { form: Pick<FormState, "isSaving">; children: ReactNode }) => (
  <Button type="submit" loading={form.isSaving} {...button} />
);

interface FormButtonsProps {
  form: FormState;
  /** The button's label; without it the form is one of a page, whose "Save changes" stays in sight from the first change on. */
  submit?: string;
  /** True for one of several on a page, which is no main action until something changed. */
  isMinor?: boolean;
  /** Shown once the input is saved. */
  saved?: string | undefined;
  onCancel?: (() => void) | undefined;
  /** True if the bar is there before anything changes, as with what is new. */
  isNew?: boolean;
  /** Buttons in place of the bar's own. */
  children?: ReactNode;
}

/** The end of a form: its button, with Cancel in a dialog; on a page a bar that comes with the first change, and counts what is wrong. */
export function FormButtons({ form, submit, isMinor = false, isNew = false, saved, onCancel, children }: FormButtonsProps) {
  const isBar = submit === undefined;
  const isShown = !isBar || isNew || form.isSaving || form.isUnsaved();
  const place = onCancel !== undefined ? "footer" : isBar && isShown ? "bar" : null;
  return (
    <Group
      gap="sm"
      justify={place === null ? "flex-start" : "flex-end"}
      // Nothing is drawn, so it takes no room.
      mt={isShown || form.isSaved ? 0 : "calc(-1 * var(--mantine-spacing-md))"}
      {...(place !== null && { "data-screen": true, className: classes[place] ?? "" })}
    >
      {isBar && <FormStatus form={form} saved={saved} />}
      {onCancel !== undefined && <SecondaryButton onClick={onCancel}>{t("Cancel")}</SecondaryButton>}
      {isShown &&
        (children ?? (
          <Button type="submit" variant={isMinor && !form.isUnsaved() ? "default" : "filled"} loading={form.isSaving}>
            {submit ?? t("Save changes")}
          </Button>
        ))}
      {!isBar && saved !== undefined && <FormStatus form={form} saved={saved} />}
    </Group>
  );
}

/** Whether the form is saved. */
function FormStatus({ form, saved = t("Saved") }: Pick<FormButtonsProps, "form" | "saved">) {
  const isFaulty = Object.keys(form.faults).length > 0 && (form.failures > 0 || form.isUnsaved());
  const rest = form.isUnsaved() ? t("Unsaved changes") : form.isSaved ? saved : "";
  return (
    <News c={isFaulty ? "var(--mantine-color-error)" : "dimmed"}>
      {isFaulty
        ? t("Not saved: {count, plural, one {# field needs} other {# fields need}} a change", { count: Object.keys(form.faults).length })
        : rest}
    </News>
  );
}

/** What is wrong with the fields above. */
export const Fault = ({ children }: { children: string | undefined }) =>
  children !== undefined && (
    <Text c="var(--mantine-color-error)" role="alert">
      {children}
    </Text>
  );
