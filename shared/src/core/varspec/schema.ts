import { z } from "zod";
import { namedError } from "../named-error.ts";
import { dottedPathSchema } from "../path-schema.ts";
import { expressionNames } from "./expression-name.ts";

/** The platform takes no longer text for one parameter. */
const MAX_TEXT = 32_768;

const text = z.string(namedError("must be a text")).max(MAX_TEXT, namedError(`must be at most ${MAX_TEXT} characters long`));
const fallback = text.optional();
const object = namedError("must be an object");

/** Where a slot's value comes from. */
const varSpecSchema = z.discriminatedUnion(
  "source",
  [
    z.strictObject({ source: z.literal("field"), path: dottedPathSchema, fallback }, object),
    z.strictObject({ source: z.literal("static"), value: text }, object),
    z.strictObject(
      {
        source: z.literal("expression"),
        expr: z.enum(expressionNames, namedError(`must be one of ${expressionNames.join(", ")}`)),
        fallback,
      },
      object,
    ),
  ],
  namedError((issue) => `must be ${issue.code === "invalid_union" ? "" : "an object whose source is "}field, static or expression`),
);

const slotNumber = z.string().regex(/^[1-9]\d{0,2}$/);
const groupSchema = z.record(
  slotNumber,
  varSpecSchema,
  namedError((issue) => (issue.code === "invalid_key" ? 'must be a slot number, as in "1"' : "must be an object of slot number to value")),
);

/** Slot number to value, for each place of a template that holds slots. */
export const variableMapSchema = z.strictObject(
  { header: groupSchema.optional(), body: groupSchema.optional(), button_url: groupSchema.optional() },
  namedError("must be an object with header, body and button_url, each of them optional"),
);

export type VarSpec = z.infer<typeof varSpecSchema>;
export type VariableMap = z.infer<typeof variableMapSchema>;
