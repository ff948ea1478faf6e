import { z } from "zod";
import { parseEventName } from "../event.ts";
import { dottedPathSchema, timeZoneSchema } from "../input/values.ts";
import { namedError } from "../text.ts";

const dayS = 86_400;
const mostDelay = 30 * dayS;
const farthestOffset = 365 * dayS;
const mostExpiry = 365 * dayS;
const mostThrottled = 1_000;
const longestThrottle = 30 * dayS;
export const mostCancelEvents = 20;

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

export type ScheduleInput = z.output<z.ZodObject<typeof scheduleMembers>>;
export type ScheduleMember = keyof ScheduleInput;

/** When a binding's messages leave; unset members are absent. */
export type Schedule = { [Member in ScheduleMember]?: NonNullable<ScheduleInput[Member]> };
