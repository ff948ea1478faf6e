import type { ExpressionName, VarSpec } from "shared/core/variables";
import { t } from "../../language.ts";
import { tableOf } from "../base/labels.ts";
import labels from "./expression-labels.json";

/** The expressions in words, with an example of each. */
export const expressionLabels: Record<ExpressionName, string> = tableOf(labels);

/** Where a variable's value comes from. */
export function describeSource(spec: VarSpec): string {
  if (spec.source === "static") return `“${spec.value}”`;
  const from = spec.source === "field" ? spec.path : expressionLabels[spec.expr];
  return spec.fallback === undefined ? from : t("{from}, else “{fallback}”", { from, fallback: spec.fallback });
}
