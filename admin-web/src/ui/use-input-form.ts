import { useForm } from "@mantine/form";
import { useState } from "react";
import type { Reason } from "shared/core/reason";

/** A schema as zod makes them. */
interface Schema {
  safeParse: (input: unknown) => { error?: { issues: Issue[] } | undefined };
}

interface InputFormOptions<Values, Input> {
  /** The server's own. */
  schema: Schema;
  initialValues: Values;
  /** What the server takes, from what the fields hold. */
  toInput: (values: Values) => Input;
  /** Rejects when the server refuses. */
  submit: (input: Input) => Promise<unknown>;
  /** Where the fields are only one member of what the server takes: its name. */
  member?: string;
}

/**
 * A form for one input of the server: checked by its schema before it is sent, and whatever the server then finds wrong stands at its field too. `refusal` is
 * what belongs to no field.
 */
export function useInputForm<Values extends Record<string, unknown>, Input>(options: InputFormOptions<Values, Input>) {
  const { schema, initialValues, toInput, submit, member } = options;
  const [refusal, setRefusal] = useState<Error | null>(null);
  const form = useForm<Values>({
    mode: "uncontrolled",
    initialValues,
    validate: (values) => fieldErrors(schema.safeParse(toInput(values)).error?.issues ?? []),
  });
  const show = (errors: Record<string, unknown>) => {
    const [first] = Object.keys(errors);
    if (first !== undefined) form.getInputNode(first as never)?.focus();
  };
  const send = async (values: Values) => {
    setRefusal(null);
    try {
      await submit(toInput(values));
      form.resetDirty();
    } catch (error) {
      const errors = fieldErrors(issuesOf(error, member));
      const fitting = Object.fromEntries(Object.entries(errors).filter(([name]) => name in initialValues));
      form.setErrors(fitting);
      show(fitting);
      if (Object.keys(fitting).length === 0) setRefusal(error instanceof Error ? error : new Error(String(error)));
    }
  };
  return { form, refusal, onSubmit: form.onSubmit(send, show) };
}

/** What is wrong with one member of an input: as the schemas say it, and as the server does. */
export interface Issue {
  path: PropertyKey[];
  message: string;
  /** The broken rule as data, where the server tells it. */
  reason?: Reason | undefined;
}

/** The message for each field of a form, by its name. */
export function fieldErrors(issues: Issue[]): Record<string, string> {
  return Object.fromEntries(issues.map(({ path, message }) => [path.join("."), message]));
}

/** The issues of a refusal by the server; none of another error. `member`: of the input, whose issues are told as if it were the input. */
export function issuesOf(error: unknown, member?: string): Issue[] {
  const { data } = error as { data?: { issues?: Issue[] | null } | null };
  const issues = data?.issues ?? [];
  return issues.map((issue) => (member !== undefined && issue.path[0] === member ? { ...issue, path: issue.path.slice(1) } : issue));
}
