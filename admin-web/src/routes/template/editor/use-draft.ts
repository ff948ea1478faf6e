import { useMemo, useState } from "react";
import type { Fault } from "shared/core/template/check";
import { afterClick } from "./after-click.ts";
import { asSentence, draftFaults, isPastMending, submissionFaults } from "./faults.ts";
import type { TemplateValues } from "./template-values.ts";

/** What is to be otherwise; of the values as they are by then, where it comes later than what it follows from. */
type Change = Partial<TemplateValues> | ((before: TemplateValues) => Partial<TemplateValues>);

/** What the server found wrong with the values that it got. */
export interface Refused {
  faults: Fault[];
  values: TemplateValues;
}

export type Draft = ReturnType<typeof useDraft>;

/**
 * The editor's fields. A fault stands at its field once somebody has left it or wanted to go on, and at once where more typing cannot mend it; what the server
 * said of a part stands until that part changes.
 */
export function useDraft(initial: TemplateValues, refusedFaults: Fault[]) {
  const [values, setValues] = useState(initial);
  const [visited, setVisited] = useState<ReadonlySet<string>>(new Set());
  const [refused, setRefused] = useState<Refused>({ faults: refusedFaults, values: initial });
  const faults = useMemo(() => submissionFaults(values), [values]);
  const visit = (...fields: string[]) => setVisited((before) => new Set([...before, ...fields]));
  const said = refused.faults.filter(({ field }) => partOf(refused.values, field) === partOf(values, field));
  const errorAt = (field: string): string | undefined => {
    const isShown = (fault: Fault): boolean => visited.has(field) || isPastMending(fault);
    const fault = said.find((each) => each.field === field) ?? faults.find((each) => each.field === field && isShown(each));
    return fault && asSentence(fault.message);
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
