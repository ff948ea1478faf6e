/** The built-in helpers that an expression may name. */
export const expressionNames = [
  "customer.full_name",
  "items.summary_short",
  "items.summary_lines",
  "total.with_currency",
  "date.today",
  "date.now",
] as const;
export type ExpressionName = (typeof expressionNames)[number];

/** The source of a slot's value. */
export type VarSpec =
  | { source: "field"; path: string; fallback?: string | undefined }
  | { source: "static"; value: string }
  | { source: "expression"; expr: ExpressionName; fallback?: string | undefined };

/** Slot number to value, for each place of a template that holds slots. */
export type VariableMap = Partial<Record<"header" | "body" | "button_url", Record<string, VarSpec> | undefined>>;
