import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { eventFilterSchema } from "./log.ts";
import { newPasswordSchema, passwordSchema } from "./team.ts";
import {
  emailSchema,
  eventNameSchema,
  idSchema,
  endSchema,
  instantSchema,
  nameSchema,
  payloadSchema,
  phoneSchema,
  searchSchema,
  timeRangeMembers,
  timeZoneSchema,
} from "./values.ts";

const id = "019aa000-0000-7000-8000-00000000abcd";
const x = (length: number): string => "x".repeat(length);
const { from, to } = timeRangeMembers;

test.each<[string, z.ZodType, unknown, unknown]>([
  ["an address", emailSchema, " ann@example.com\n", "ann@example.com"],
  ["the longest address", emailSchema, ` ${x(242)}@example.com`, `${x(242)}@example.com`],
  ["an event's name", eventNameSchema, "Order.Created", "order.created"],
  ["an event to look for", eventFilterSchema, " Order.CREATED", "order.created"],
  ["no event to look for", eventFilterSchema, " ", undefined],
  ["an id", idSchema, id.toUpperCase(), id],
  ["a name", nameSchema, " Ada's shop, é ", "Ada's shop, é"],
  ["a name without what turns its direction", nameSchema, "\u202eexample\u202c \u2067shop\u2069\u200f", "example shop"],
  ["the shortest name", nameSchema, "a", "a"],
  ["the longest name", nameSchema, x(200), x(200)],
  ["a password to check", passwordSchema, "", ""],
  ["the shortest password", newPasswordSchema, x(10), x(10)],
  ["a password of other letters", newPasswordSchema, "😀".repeat(10), "😀".repeat(10)],
  ["the longest password", newPasswordSchema, x(200), x(200)],
  ["a phone", phoneSchema, "+491701234567", "+491701234567"],
  ["a text to look for", searchSchema, " a\0b\0 c ", "ab c"],
  ["nothing to look for", searchSchema, " \0 ", undefined],
  ["the longest text to look for", searchSchema, x(500), x(500)],
  ["a time zone", timeZoneSchema, "Europe/Berlin", "Europe/Berlin"],
  ["UTC", timeZoneSchema, "UTC", "UTC"],
  ["a time", instantSchema, "2030-01-31T01:00:00+01:00", new Date("2030-01-31T00:00:00Z")],
  ["a day as its begin", instantSchema, "2030-01-31", new Date("2030-01-31T00:00:00Z")],
  ["a time as an end", endSchema, "2030-01-31T01:00:00Z", new Date("2030-01-31T01:00:00Z")],
  ["a day as its end", endSchema, "2030-01-31", new Date("2030-02-01T00:00:00Z")],
  ["the first time of a log", from, "2030-01-31T01:00:00+01:00", Date.UTC(2030, 0, 31)],
  ["the first day of a log", from, "2030-01-31", Date.UTC(2030, 0, 31)],
  ["the last time of a log", to, "2030-01-31T01:00:00.5Z", Date.UTC(2030, 0, 31, 1, 0, 0, 500)],
  ["the last day of a log, to its last millisecond", to, "2030-01-31", Date.UTC(2030, 1, 1) - 1],
  ["no bound of a log", to, undefined, undefined],
])("takes %s", (_, schema, input, output) => {
  expect(schema.parse(input)).toStrictEqual(output);
});

const time = "Must be a time such as 2026-11-20T08:00:00Z or a day such as 2026-11-20";
const instant = "Must be an ISO 8601 time such as 2030-01-31T00:00:00Z";
const address = "Must be an e-mail address, such as ann@example.com";
const eventName = "Must be an event name: words of letters, digits, _ and -, joined by dots, 1 to 128 characters, such as order.created";

test.each<[z.ZodType, unknown, string]>([
  [emailSchema, "ann", address],
  [emailSchema, "", address],
  [emailSchema, `${x(243)}@example.com`, "An e-mail address has at most 254 characters"],
  [eventNameSchema, "order created", eventName],
  [eventNameSchema, "", eventName],
  [idSchema, "42", "Must be a UUID"],
  [nameSchema, " ", "Must not be empty"],
  [nameSchema, x(201), "Has at most 200 characters"],
  [nameSchema, "a\tb", "Must be one line without control characters"],
  [nameSchema, "a\x85", "Must be one line without control characters"],
  [passwordSchema, x(201), "Has at most 200 characters"],
  [newPasswordSchema, x(9), "Must have at least 10 characters"],
  [newPasswordSchema, "😀".repeat(9), "Must have at least 10 characters"],
  [phoneSchema, "0170 1234567", "Must be an E.164 phone number: +, country code and number, 7 to 15 digits, such as +491701234567"],
  [timeZoneSchema, "Mars/Olympus", "Must be a time zone such as Europe/Berlin or UTC"],
  [timeZoneSchema, "+02:00", "Must be a time zone such as Europe/Berlin or UTC"],
  [timeZoneSchema, "", "Must be a time zone such as Europe/Berlin or UTC"],
  [instantSchema, "2030-01-31T00:00:00", instant],
  [instantSchema, "31.1.2030", instant],
  [endSchema, "tomorrow", instant],
  [from, "2030-02-30", time],
  [from, "2030-01-31T00:00:00", time],
  [to, "now", time],
])("%# refuses %j", (schema, input, message) => {
  expect(schema.safeParse(input).error?.issues.map((issue) => issue.message)).toEqual([message]);
});

test.each<[string, z.ZodType, unknown]>([
  ["a search", searchSchema, x(501)],
  ["a time zone's name", timeZoneSchema, `UTC${x(98)}`],
  ["an event to look for", eventFilterSchema, 1],
])("refuses %s that is none", (_, schema, input) => {
  expect(schema.safeParse(input).success).toBe(false);
});

describe("payloadSchema", () => {
  test("takes an object as it is, and a text with all its digits", () => {
    const object = JSON.parse('{"__proto__":{"a":1}}') as unknown;
    expect(payloadSchema.parse(object)).toBe(object);
    expect(payloadSchema.parse('{"a":12345678901234567890}')).toEqual({ a: 12345678901234567890n });
  });

  test("has bounds, whether it is one text or many values", () => {
    const messages = (input: string) => payloadSchema.safeParse(input).error?.issues.map(({ message }) => message);
    const members = (count: number) => `{${Array.from({ length: count }, (_, n) => `"${n}":0`).join(",")}}`;
    expect([messages(members(131_071)), messages(members(131_072))]).toEqual([undefined, ["Has too many values"]]);
    expect(messages(`{"a":"${" ".repeat(2_097_144)}"}`)).toBeUndefined();
    expect(messages(`{"a":"${" ".repeat(2_097_145)}"}`)).toEqual(["Has at most 2097152 characters"]);
  });

  test.each(["[]", "null", "1", '"{}"', "", "{", [], null, 1, undefined])("refuses %j", (input) => {
    const issues = payloadSchema.safeParse(input).error?.issues;
    expect(issues?.map((issue) => issue.message)).toEqual(["Must be a JSON object, or the text of one"]);
  });
});
