import { expect, test } from "vitest";
import type { z } from "zod";
import { listBindingsInput, previewBindingInput, listTemplatesInput, updateTemplateInput } from "./bindings.ts";
import {
  listEventsInput,
  listNotificationsInput,
  resendFilterInput,
  resendManyInput,
  resendNotificationInput,
  sandboxMessagesInput,
  overviewInput,
} from "./log.ts";
import { defaultApiVersion, platformSchema, updateSettingsInput } from "./settings.ts";
import { createSiteInput, rotateInput, updateSiteInput } from "./sites.ts";
import { listAuditInput, acceptInviteInput, loginInput, resetPasswordInput, signUpInput, listOptOutsInput } from "./team.ts";
import { listInput } from "./values.ts";

const id = "019aa000-0000-7000-8000-00000000abcd";
const x = (length: number): string => "x".repeat(length);
const span = { from: "2030-01-01", to: "2030-01-01" };
const password = "correct horse";
const phone = "+491701234567";
const platform = { wabaId: "1", phoneNumberId: "a_B-9", accessToken: "EAA!~", appSecret: "s", appId: "2", apiVersion: "v25.0" };
const binding = {
  siteId: id,
  event: "order.created",
  templateId: id,
  recipient: { strategy: "customer" },
  variableMap: { body: { "1": { source: "static", value: "x" } } },
};
const site = { name: "Shop", url: "https://shop.example/", sourceType: "shopify", testPhone: phone };

test.each([
  listInput,
  listAuditInput,
  listBindingsInput,
  listEventsInput,
  listNotificationsInput,
  listOptOutsInput,
  listTemplatesInput,
  sandboxMessagesInput,
])("%# a list without an input has fifty to the page", (schema) => {
  expect(schema.parse(undefined)).toEqual({ limit: 50 });
  expect(schema.parse({ cursor: null })).toEqual({ cursor: null, limit: 50 });
  for (const wrong of [{ limit: 0 }, { limit: 201 }, { limit: 1.5 }, { cursor: x(501) }])
    expect(schema.safeParse(wrong).success).toBe(false);
});

test("what is left out has its usual value, and what does not belong is refused by its name", () => {
  expect(resendNotificationInput.parse({ id })).toEqual({ id, force: false });
  expect(resendManyInput.parse({ eventId: id })).toEqual({ eventId: id, force: false });
  expect(rotateInput.parse({ id })).toEqual({ id, overlapSeconds: 0 });
  expect(updateSiteInput.parse({ id, rateLimitPerSecond: 1 })).toEqual({ id, rateLimitPerSecond: 1 });
  expect(createSiteInput.parse({ ...site, url: "http://shop.example" }).url).toBe("http://shop.example");
  for (const [schema, input, unknown] of [
    [previewBindingInput, { ...binding, payload: {}, enabled: true }, "enabled"],
    [resetPasswordInput, { token: "t", name: "Ada", password }, "name"],
    [resendFilterInput, { siteID: id, ...span }, "siteID"],
    [rotateInput, { id, overlapseconds: 3600 }, "overlapseconds"],
    [updateSettingsInput, { retention: { logdays: 1 } }, "logdays"],
  ] as const) {
    expect(schema.safeParse(input).error?.issues.map(({ message }) => message)).toEqual([`Unrecognized key: "${unknown}"`]);
  }
});

test("settings without an input change nothing; null disconnects, omitted secrets stay, null removes", () => {
  expect(updateSettingsInput.parse(undefined)).toEqual({});
  expect(updateSettingsInput.parse({ platform: null })).toEqual({ platform: null });
  expect(defaultApiVersion).toBe("v25.0");
  expect(platformSchema.parse({ ...platform, apiVersion: "v125.10" }).apiVersion).toBe("v125.10");
  const least = { wabaId: "1", phoneNumberId: "2" };
  expect(platformSchema.parse(least)).toEqual(least);
  expect(platformSchema.parse({ ...least, appSecret: null, appId: null })).toEqual({ ...least, appSecret: null, appId: null });
});

test("a template's changes may be any, for its rules are those of the whole", () => {
  expect(updateTemplateInput.parse({ id })).toEqual({ id });
  expect(updateTemplateInput.safeParse({ id, body: 1 }).success).toBe(false);
  expect(updateTemplateInput.safeParse({ body: "b" }).success).toBe(false);
});

test("white space around what is pasted goes", () => {
  const pasted = { ...platform, wabaId: " 1\n", phoneNumberId: "a_B-9 ", accessToken: " EAA!~ ", appSecret: "s\n", apiVersion: " v25.0 " };
  expect(platformSchema.parse(pasted)).toEqual(platform);
  expect(loginInput.parse({ email: " a ", password: " " })).toEqual({ email: "a", password: " " });
  expect(signUpInput.parse({ accountName: "a", email: "a@b.example", password, setupCode: " 1 " }).setupCode).toBe("1");
  expect(acceptInviteInput.parse({ token: " t ", name: "Ada", password }).token).toBe("t");
});

const url = "Must be a URL that begins with https:// or http://";
const platformId = "Must be an ID as WhatsApp shows it: letters and digits";
const secret = "Must be one word of printable ASCII characters";
const version = "Must be a version such as v25.0";

test.each<[z.ZodType, object, string]>([
  [createSiteInput, { ...site, url: "shop.example" }, `url: ${url}`],
  [createSiteInput, { ...site, url: "ftp://shop.example" }, `url: ${url}`],
  [createSiteInput, { ...site, url: "xhttp://shop.example" }, `url: ${url}`],
  [createSiteInput, { ...site, url: "httpsx://shop.example" }, `url: ${url}`],
  [platformSchema, { ...platform, wabaId: "" }, `wabaId: ${platformId}`],
  [platformSchema, { ...platform, wabaId: "1/2" }, `wabaId: ${platformId}`],
  [platformSchema, { ...platform, phoneNumberId: "/1" }, `phoneNumberId: ${platformId}`],
  [platformSchema, { ...platform, appId: x(65) }, `appId: ${platformId}`],
  [platformSchema, { ...platform, accessToken: "two words" }, `accessToken: ${secret}`],
  [platformSchema, { ...platform, accessToken: "é" }, `accessToken: ${secret}`],
  [platformSchema, { ...platform, appSecret: "" }, `appSecret: ${secret}`],
  [platformSchema, { ...platform, apiVersion: "25.0" }, `apiVersion: ${version}`],
  [platformSchema, { ...platform, apiVersion: "v25" }, `apiVersion: ${version}`],
  [platformSchema, { ...platform, apiVersion: "v25.0.1" }, `apiVersion: ${version}`],
  [platformSchema, { ...platform, apiVersion: "v2525.0" }, `apiVersion: ${version}`],
  [platformSchema, { ...platform, apiVersion: "/v25.0" }, `apiVersion: ${version}`],
  [
    resendFilterInput,
    { siteId: id, from: "2030-01-01" },
    "to: Is required, unless ids, eventId, eventIds or operationId name what to send",
  ],
  [resendManyInput, { to: "2030-01-01" }, "from: Is required, unless ids, eventId, eventIds or operationId name what to send"],
  [overviewInput, { from: "2030-01-02", to: "2030-01-01" }, "to: Must be later than from"],
  [overviewInput, { from: "2030-01-02T00:00:00Z", to: "2030-01-02T00:00:00Z" }, "to: Must be later than from"],
  [overviewInput, { from: "2030-01-01", to: "2031-02-05" }, "to: Must be at most 400 days after from"],
  [overviewInput, {}, "from: Is required, unless days is given"],
  [overviewInput, { from: "2030-01-02" }, "to: Is required, unless days is given"],
  [overviewInput, { from: "2030-01-02", days: 7 }, "days: Stands alone, without from and to"],
])("%# refuses %j", (schema, input, message) => {
  const issues = schema.safeParse(input).error?.issues;
  expect(issues?.map((issue) => `${issue.path.join(".")}: ${issue.message}`)).toEqual([message]);
});

test("the longest span that a summary takes", () => {
  expect(overviewInput.safeParse({ from: "2030-01-01", to: "2031-02-04" }).success).toBe(true);
});
