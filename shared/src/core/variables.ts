import { z } from "zod";
import {
  type ExpressionName,
  fullName,
  itemLines,
  itemSummary,
  localDate,
  localMinute,
  longestValue,
  totalWithCurrency,
  expressionNames,
} from "./expressions.ts";
import { dottedPathSchema } from "./input/values.ts";
import { type JsonObject, type JsonValue, lookUp, textOf } from "./json.ts";
import { memoize, namedError } from "./text.ts";
import { rule } from "./wording.ts";

/** The things that a value may be made of. */
export interface EvaluationContext {
  payload: JsonObject;
  now: Date;
  /** IANA name of the account's time zone. */
  timezone: string;
}

/**
 * The text that `spec` puts into its slot, not yet cleaned for sending; undefined when it is missing. A fallback stands in for a missing value only. A
 * text longer than `longestValue` is cut to one character more, and must not be sent. Never throws, whatever the payload holds.
 */
export function evaluate(spec: VarSpec, context: EvaluationContext): string | undefined {
  if (spec.source === "static") return cut(spec.value === "" ? undefined : spec.value);
  const value = spec.source === "field" ? fieldText(context.payload, spec.path) : cut(evaluateExpression(spec.expr, context));
  return value ?? cut(spec.fallback === "" ? undefined : spec.fallback);
}

const cut = (text: string | undefined): string | undefined => text?.slice(0, longestValue + 1);

/** The text of a field. Scalars are cheap to print again; an object is printed once for each event, however many slots name it. */
function fieldText(payload: JsonObject, path: string): string | undefined {
  const value = lookUp(payload, path);
  return typeof value === "object" && value !== null ? printed(value) : textOf(value, longestValue);
}

const printed = memoize((value: JsonObject | JsonValue[]) => textOf(value, longestValue));
const summaryOf = memoize(itemSummary);
const linesOf = memoize(itemLines);

function evaluateExpression(name: ExpressionName, { payload, now, timezone }: EvaluationContext): string | undefined {
  switch (name) {
    case "customer.full_name":
      return fullName(payload);
    case "items.summary_short":
      return summaryOf(payload);
    case "items.summary_lines":
      return linesOf(payload);
    case "total.with_currency":
      return totalWithCurrency(payload);
    case "date.today":
      return localDate(now, timezone);
    case "date.now":
      return localMinute(now, timezone);
  }
}

/** The longest text that the platform takes for one parameter. */
const maxText = 32_768;

const text = z.string(namedError("must be a text")).max(maxText, namedError("must be at most {most} characters long", { most: maxText }));
const fallback = text.optional();
const object = namedError("must be an object");

/** The source of a slot's value. */
const varSpecSchema = z.discriminatedUnion(
  "source",
  [
    z.strictObject({ source: z.literal("field"), path: dottedPathSchema, fallback }, object),
    z.strictObject({ source: z.literal("static"), value: text }, object),
    z.strictObject(
      {
        source: z.literal("expression"),
        expr: z.enum(expressionNames, namedError("must be one of {names}", { names: expressionNames.join(", ") })),
        fallback,
      },
      object,
    ),
  ],
  namedError((issue) =>
    issue.code === "invalid_union"
      ? rule("must be field, static or expression")
      : rule("must be an object whose source is field, static or expression"),
  ),
);

const slotNumber = z.string().regex(/^[1-9]\d{0,2}$/);
const groupSchema = z.record(
  slotNumber,
  varSpecSchema,
  namedError((issue) =>
    issue.code === "invalid_key" ? rule('must be a slot number, as in "1"') : rule("must be an object of slot number to value"),
  ),
);

/** Slot number to value, for each place of a template that holds slots. */
export const variableMapSchema = z.strictObject(
  { header: groupSchema.optional(), body: groupSchema.optional(), button_url: groupSchema.optional() },
  namedError("must be an object with header, body and button_url, each of them optional"),
);

export type VarSpec = z.infer<typeof varSpecSchema>;
export type VariableMap = z.infer<typeof variableMapSchema>;
