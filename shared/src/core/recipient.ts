import { z } from "zod";
import { dottedPathSchema } from "./input/values.ts";
import { e164Pattern } from "./phone.ts";
import { namedError } from "./text.ts";
import { rule } from "./wording.ts";

const object = namedError("must be an object");
const noPhone = namedError("must be a phone number in E.164 form, as in +491701234567");
const phone = z.string(noPhone).regex(e164Pattern, noPhone);

const options = [
  z.strictObject({ strategy: z.literal("customer") }, object),
  z.strictObject({ strategy: z.literal("site_recipients") }, object),
  z.strictObject({ strategy: z.literal("test") }, object),
  z.strictObject({ strategy: z.literal("static_phone"), phone }, object),
  z.strictObject({ strategy: z.literal("field_path"), path: dottedPathSchema }, object),
] as const;

export const recipientStrategies = options.map(({ shape }) => shape.strategy.value);
const strategies = `${recipientStrategies.slice(0, -1).join(", ")} or ${recipientStrategies.at(-1)}`;

/** The recipients of a binding's messages. */
export const recipientSchema = z.discriminatedUnion(
  "strategy",
  options,
  namedError((issue) =>
    issue.code === "invalid_union"
      ? rule("must be {strategies}", { strategies })
      : rule("must be an object whose strategy is {strategies}", { strategies }),
  ),
);

export type RecipientStrategy = z.infer<typeof recipientSchema>;
