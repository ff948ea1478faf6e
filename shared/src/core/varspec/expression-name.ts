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
