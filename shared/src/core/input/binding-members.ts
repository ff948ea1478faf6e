import { z } from "zod";
import { longestCompared } from "../compared-value.ts";
import { asking, comparing, conditionOps, listing, mostRules, mostValues, searching, textsOf } from "../conditions.ts";
import { daySeconds } from "../durations.ts";
import { parseEventName } from "../event.ts";
import { mostCancelEvents } from "../schedule/schedule.ts";
import { namedError } from "../text.ts";
import { expressionNames } from "../variables.ts";
import { rule } from "../wording.ts";
import { dottedPathSchema, timeZoneSchema } from "./values.ts";

const object = namedError("must be an object");

/** The longest text that the platform takes for one parameter. */
const maxText = 32_768;

const text = z.string(namedError("must be a text")).max(maxText, namedError("must be at most {most} characters long", { most: maxText }));
const fallback = text.optional();

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

const mostText = 262_144;
/** The longest text that is searched for: the engine's time can grow with the product of both lengths (`aba…a` in `aaaa…`). */
const longestSearched = 200;

const ruleObject = namedError("must be an object with path, op and value");
const scalarUpTo = (longest: number) =>
  z.union(
    [z.string().max(longest, namedError("must be at most {most} characters long", { most: longest })), z.number(), z.boolean()],
    namedError("must be a text, a number, or true or false"),
  );
const scalar = scalarUpTo(longestCompared);
const values = z
  .array(scalar, namedError("must be a list of 1 to {most} texts, numbers, or true or false", { most: mostValues }))
  .min(1, namedError("must contain 1 to {most} values", { most: mostValues }))
  .max(mostValues, namedError("must contain 1 to {most} values", { most: mostValues }));

const ruleSchema = z.discriminatedUnion(
  "op",
  [
    z.strictObject({ path: dottedPathSchema, op: z.enum(comparing), value: scalar }, ruleObject),
    z.strictObject({ path: dottedPathSchema, op: z.enum(searching), value: scalarUpTo(longestSearched) }, ruleObject),
    z.strictObject({ path: dottedPathSchema, op: z.enum(listing), value: values }, ruleObject),
    z.strictObject(
      { path: dottedPathSchema, op: z.enum(asking), value: z.undefined(namedError("must be left out")).optional() },
      ruleObject,
    ),
  ],
  namedError((issue) =>
    issue.code === "invalid_union"
      ? rule("must be one of {names}", { names: conditionOps.join(", ") })
      : rule("must be an object with path, op and value"),
  ),
);

/** When a binding fires. Equal conditions become equal texts: members stand in the order of the schema. */
export const conditionsSchema = z
  .strictObject(
    {
      match: z.enum(["all", "any"], namedError("must be all or any")),
      rules: z
        .array(ruleSchema, namedError("must be a list of 1 to {most} rules", { most: mostRules }))
        .min(1, namedError("must contain 1 to {most} rules", { most: mostRules }))
        .max(mostRules, namedError("must contain 1 to {most} rules", { most: mostRules })),
    },
    namedError("must be an object with match and rules, or null"),
  )
  .refine(
    ({ rules }) => rules.flatMap(textsOf).reduce((sum, text) => sum + text.length, 0) <= mostText,
    namedError("must contain values of at most {most} characters in total", { most: mostText }),
  );

const mostDelay = 30 * daySeconds;
const farthestOffset = 365 * daySeconds;
const mostExpiry = 365 * daySeconds;
const mostThrottled = 1_000;
const longestThrottle = 30 * daySeconds;

function wholeNumber(from: number, to: number) {
  const error = namedError("must be a whole number from {from} to {to}", { from, to });
  return z.number(error).refine((value) => Number.isInteger(value) && value >= from && value <= to, error);
}

const seconds = (to: number) => wholeNumber(1, to);

function time(pattern: RegExp, example: string) {
  const error = namedError("must be a time such as {example}", { example });
  return z.string(error).regex(pattern, error);
}

const daysError = namedError("must be a list of 1 to 7 ISO weekdays, 1 (Monday) to 7 (Sunday), each once");

export const windowSchema = z
  .strictObject(
    {
      days: z
        .array(wholeNumber(1, 7), daysError)
        .min(1, daysError)
        .max(7, daysError)
        .refine((days) => new Set(days).size === days.length, daysError)
        .transform((days) => days.toSorted((a, b) => a - b)),
      from: time(/^([01]\d|2[0-3]):[0-5]\d$/, "08:00"),
      to: time(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, "20:00, at most 24:00"),
      timezone: z
        .string(namedError("must be a time zone such as Europe/Berlin"))
        .max(100, { abort: true, ...namedError("must be a time zone such as Europe/Berlin or UTC") })
        .refine((name) => timeZoneSchema.safeParse(name).success, namedError("must be a time zone such as Europe/Berlin or UTC"))
        .optional(),
    },
    namedError("must be an object with days, from and to, or null"),
  )
  .refine(({ from, to }) => from !== to, {
    path: ["to"],
    ...namedError("must differ from window.from; for the whole day give 00:00 and 24:00"),
  });

const eventsError = namedError("must be a list of 1 to {most} event names", { most: mostCancelEvents });

const cancelOnSchema = z.strictObject(
  {
    events: z
      .array(
        z
          .string(namedError("must be an event name such as order.created"))
          .max(128, { abort: true, ...namedError("must be an event name such as order.created") })
          .refine((name) => parseEventName(name) !== null, namedError("must be an event name such as order.created"))
          .toLowerCase(),
        eventsError,
      )
      .min(1, eventsError)
      .max(mostCancelEvents, eventsError)
      .transform((names) => [...new Set(names)]),
    by: dottedPathSchema,
  },
  namedError("must be an object with events and by, or null"),
);

const dueAtSchema = z.strictObject(
  {
    path: dottedPathSchema,
    offsetSeconds: wholeNumber(-farthestOffset, farthestOffset),
    ifPast: z.enum(["send", "skip"], namedError("must be send or skip")),
  },
  namedError("must be an object with path, offsetSeconds and ifPast, or null"),
);

const throttleSchema = z.strictObject(
  { max: wholeNumber(1, mostThrottled), seconds: seconds(longestThrottle) },
  namedError("must be an object with max and seconds, or null"),
);

/** The members of a binding that say when its messages leave. */
export const scheduleMembers = {
  delaySeconds: seconds(mostDelay).nullish(),
  window: windowSchema.nullish(),
  cancelOn: cancelOnSchema.nullish(),
  restartBy: dottedPathSchema.nullish(),
  dueAt: dueAtSchema.nullish(),
  expiresSeconds: seconds(mostExpiry).nullish(),
  throttle: throttleSchema.nullish(),
};
