import { z } from "zod";
import { parseEventName } from "../event.ts";
import { type JsonObject, isJsonObject, longestPath, measureJson, mostJsonValues, parseJson, pathProblem } from "../json.ts";
import { mostNamed } from "../operation.ts";
import { e164Pattern } from "../phone.ts";
import { attempt, isBlank, namedError } from "../text.ts";
import { rule } from "../wording.ts";

/** What a schema without words of its own says of what a person enters. */
z.config({
  customError: ({ code, input, ...issue }) => {
    if (input === undefined && /^invalid_(type|union|value)$/.test(code)) return rule("Is required");
    if (code === "invalid_union" && Array.isArray(issue["options"]))
      return rule("must be one of {names}", { names: issue["options"].join(", ") });
    if (code === "invalid_type" && issue["expected"] === "int") return rule("Enter a whole number");
    if (code === "invalid_type" && issue["expected"] === "number" && typeof input === "number") return rule("Enter a number");
    const [least, most] = [Number(issue["minimum"]), Number(issue["maximum"])];
    if (issue["origin"] === "string") return code === "too_small" && least === 1 ? rule("Is required") : undefined;
    if (!["number", "int"].includes(String(issue["origin"]))) return undefined;
    if (code === "too_small") return rule("Enter a number of at least {least, number}", { least });
    return code === "too_big" ? rule("Enter a number of at most {most, number}", { most }) : undefined;
  },
});

export const emailSchema = z
  .string()
  .trim()
  .max(254, rule("An e-mail address has at most 254 characters"))
  .pipe(z.email(rule("Must be an e-mail address, such as ann@example.com")));

const noEventName = rule(
  "Must be an event name: words of letters, digits, _ and -, joined by dots, 1 to 128 characters, such as order.created",
);

/** An event's name in any case, as its lower-case form. */
export const eventNameSchema = z
  .string()
  .max(128, noEventName)
  .transform((text, context) => {
    const name = parseEventName(text);
    if (name !== null) return name;
    context.addIssue(noEventName);
    return z.NEVER;
  });

/** A dotted path into the payload, as a binding stores it. */
export const dottedPathSchema = z
  .string(namedError("must be a dotted path, as in customer.first_name"))
  .max(longestPath, { abort: true, ...namedError("must be at most {most} characters long", { most: longestPath }) })
  .refine(
    (path) => pathProblem(path) === null,
    namedError((issue) => pathProblem(String(issue.input)) ?? ""),
  );

const [noId, noUuid] = [rule("Is required"), rule("Must be a UUID")];

export const idSchema = z.guid({ error: ({ input }) => (input === undefined || input === "" ? noId : noUuid) }).toLowerCase();

export const idsSchema = z.array(idSchema).min(1).max(mostNamed);

/** The caller's own id of a create, which makes its object once. */
export const clientIdMember = {
  clientId: z
    .string()
    .regex(/^[^\p{C}\p{Zl}\p{Zp}]{1,64}$/u, rule("Must be 1 to 64 printable characters"))
    .optional(),
};

/** The input of procedures that take nothing. */
export const noInput = z.strictObject({}).prefault({});

export const idInput = z.strictObject({ id: idSchema });

/** A version of an object, see `versions`. */
export const restoreInput = idInput.extend({ version: z.int().min(1).max(2_147_483_647) });

/** Longer texts are no times that anybody writes. */
const longestTime = 40;
const isoForms = [z.iso.datetime({ offset: true }).max(longestTime), z.iso.date()] as const;
const isoTime = z.union(isoForms, rule("Must be an ISO 8601 time such as 2030-01-31T00:00:00Z"));
const dayMs = 86_400_000;

/** A time as ISO 8601 text with its offset; a day alone is its midnight in UTC. */
export const instantSchema = isoTime.transform((text) => new Date(text));

/** The `updatedAt` that the caller has read: a change of what somebody else has changed since is refused. */
export const versionMember = { ifUpdatedAt: instantSchema.optional() };

/** The excluded end of a span: a time, or a day in UTC of which all belongs to the span. */
export const endSchema = isoTime.transform((text) => new Date(Date.parse(text) + (text.includes("T") ? 0 : dayMs)));

/** The members that every list takes beside its filters. `cursor` is the `nextCursor` of the page before. */
export const listMembers = {
  cursor: z.string().max(500).nullish(),
  limit: z.int().min(1).max(200).default(50),
  /** A member that tRPC's infinite queries add by themselves. */
  direction: z.literal("forward").optional(),
};

/** Where a count goes on: the `next` of the one before. */
export const countMembers = { cursor: listMembers.cursor };

/** A list without filters. An absent input is `{}`. */
export const listInput = z.strictObject(listMembers).prefault({});

/** A list of what belongs to a site, without filters. */
export const siteListInput = z.strictObject({ siteId: idSchema, ...listMembers });

/** The message for a text that is too long. */
export const atMost = (most: number): string => rule("Has at most {most} characters", { most });

/** The text without white space at its ends; empty where a reader would see nothing of it. */
export const trimmed = (text: string): string => (isBlank(text) ? "" : text.trim());

/** A text with something in it that can be seen. `empty`: the message for one without. */
export const filledText = (most: number, empty = rule("Must not be empty")) =>
  z.string().overwrite(trimmed).min(1, empty).max(most, atMost(most));

/** The address of a server. `wrong`: the message for something else. The server knows which networks it may lie in. */
export const webAddress = (wrong: string) => z.url({ protocol: /^https?$/, error: wrong }).max(2048, atMost(2048));

/** A name that people choose: one line, not blank. Direction marks are left out. */
export const nameSchema = z
  .string()
  .overwrite((text) => trimmed(text.replace(/\p{Bidi_Control}/gu, "")))
  .min(1, rule("Must not be empty"))
  .max(200, atMost(200))
  .regex(/^\P{Cc}*$/u, rule("Must be one line without control characters"));

export const nameInput = z.strictObject({ name: nameSchema });

/** The message of zod for a text with more characters. */
export const tooLong = (most: number): string => rule("Must have at most {most} characters", { most });

/** A secret of another system, as it is pasted. */
export const secretSchema = z
  .string()
  .trim()
  .max(2000, tooLong(2000))
  .regex(/^[\x21-\x7e]+$/, rule("Must be one word of printable ASCII characters"));

/**
 * An event's payload: an object, or its JSON text, which also keeps integers that a double cannot hold. It is passed on unchanged: a schema of its members
 * would drop keys such as `__proto__`.
 */
export const payloadSchema = z.custom<JsonObject | string>().transform((input, context): JsonObject => {
  const excess = typeof input === "string" ? excessOf(input) : undefined;
  if (excess !== undefined) {
    context.addIssue(excess);
    return z.NEVER;
  }
  const value = typeof input === "string" ? attempt(() => parseJson(input), undefined) : input;
  if (isJsonObject(value)) return value;
  context.addIssue(rule("Must be a JSON object, or the text of one"));
  return z.NEVER;
});

/** As large as a body that a shop posts. */
const longestPayload = 2 * 1_048_576;

function excessOf(text: string): string | undefined {
  if (text.length > longestPayload) return atMost(longestPayload);
  return measureJson(text).values > mostJsonValues ? rule("Has too many values") : undefined;
}

export const phoneSchema = z
  .string()
  .regex(e164Pattern, rule("Must be an E.164 phone number: +, country code and number, 7 to 15 digits, such as +491701234567"));

/** A person, named by their phone. */
export const phoneInput = z.strictObject({ phone: phoneSchema });

/** A text to search for: the typed text, without the NUL that no stored text holds; undefined when nothing is left. */
export const searchSchema = z
  .string()
  .max(500, tooLong(500))
  .transform((text) => text.replaceAll("\u0000", "").trim() || undefined);

const isoRangeEnd = z.union(isoForms, rule("Must be a time such as 2026-11-20T08:00:00Z or a day such as 2026-11-20"));
const dayLength = "YYYY-MM-DD".length;

/** An end of a range, as it was given: an ISO 8601 time or a day. */
export const dayOrTimeSchema = isoRangeEnd;

/** The members that bound a list of the log in time: ISO 8601 times, or days in UTC. Both ends are included, a day as a whole. They become milliseconds since the epoch. */
export const timeRangeMembers = {
  from: isoRangeEnd.transform((text) => Date.parse(text)).optional(),
  to: isoRangeEnd.transform((text) => Date.parse(text) + (text.length === dayLength ? dayMs - 1 : 0)).optional(),
};

/** A name of the IANA time zone database, such as `Europe/Berlin`. */
export const timeZoneSchema = z.string().max(100).refine(isTimeZone, rule("Must be a time zone such as Europe/Berlin or UTC"));

function isTimeZone(name: string): boolean {
  // Some engines take offsets such as +02:00, which mean the opposite in PostgreSQL.
  if (!/^[A-Za-z]/.test(name)) return false;
  return attempt(() => new Intl.DateTimeFormat("en", { timeZone: name }), null) !== null;
}
