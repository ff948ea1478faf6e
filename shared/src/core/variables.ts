import { z } from "zod";
import { dottedPathSchema } from "./input/values.ts";
import { namedError } from "./text.ts";
import { rule } from "./wording.ts";

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
