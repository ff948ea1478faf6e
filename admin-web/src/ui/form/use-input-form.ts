import { useForm } from "@mantine/form";
import { useState } from "react";
import { fieldErrors, type Issue, issuesOf } from "./field-errors.ts";

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
