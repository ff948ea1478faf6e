import type { JsonObject } from "../json/value.ts";
import { lookUp } from "../path.ts";
import type { ExpressionName } from "./expression-name.ts";
import { fullName } from "./full-name.ts";
import { itemLines, itemSummary } from "./items.ts";
import { localDate, localMinute } from "./local-time.ts";
import type { VarSpec } from "./schema.ts";
import { textOf } from "./text-of.ts";
import { totalWithCurrency } from "./total.ts";

/** What a value may be made of. */
export interface EvaluationContext {
  payload: JsonObject;
  now: Date;
  /** IANA name of the account's time zone. */
  timezone: string;
}

/**
 * The text that `spec` puts into its slot, not yet cleaned for sending; undefined when it is missing. A fallback stands in for a
 * missing value only. Never throws, whatever the payload holds.
 */
export function evaluate(spec: VarSpec, context: EvaluationContext): string | undefined {
  if (spec.source === "static") return spec.value === "" ? undefined : spec.value;
  const value = spec.source === "field" ? textOf(lookUp(context.payload, spec.path)) : evaluateExpression(spec.expr, context);
  return value ?? (spec.fallback === "" ? undefined : spec.fallback);
}

function evaluateExpression(name: ExpressionName, { payload, now, timezone }: EvaluationContext): string | undefined {
  switch (name) {
    case "customer.full_name":
      return fullName(payload);
    case "items.summary_short":
      return itemSummary(payload);
    case "items.summary_lines":
      return itemLines(payload);
    case "total.with_currency":
      return totalWithCurrency(payload);
    case "date.today":
      return localDate(now, timezone);
    case "date.now":
      return localMinute(now, timezone);
  }
}
