import { expect, test } from "vitest";
import type { z } from "zod";
import {
  createBindingInput,
  listBindingsInput,
  previewBindingInput,
  updateBindingInput,
  listTemplatesInput,
  setHeaderMediaInput,
  updateTemplateInput,
} from "./bindings.ts";
import {
  eventFieldsInput,
  eventNamesInput,
  listEventsInput,
  listNotificationsInput,
  resendFilterInput,
  resendManyInput,
  resendNotificationInput,
  markReadInput,
  sandboxAnswerInput,
  sandboxMessagesInput,
  overviewInput,
} from "./log.ts";
import { defaultApiVersion, platformSchema, updateSettingsInput } from "./settings.ts";
import {
  addRecipientInput,
  listRecipientsInput,
  updateRecipientInput,
  createSiteInput,
  listSitesInput,
  rotateInput,
  updateSiteInput,
} from "./sites.ts";
import {
  listAuditInput,
  acceptInviteInput,
  changePasswordInput,
  loginInput,
  resetPasswordInput,
  signUpInput,
  listOptOutsInput,
  createTokenInput,
  inviteInput,
  setRoleInput,
} from "./team.ts";
import { idInput, listInput } from "./values.ts";

const id = "019aa000-0000-7000-8000-00000000abcd";
const x = (length: number): string => "x".repeat(length);
const page = { cursor: "next", limit: 200 };
const span = { from: "2030-01-01", to: "2030-01-01" };
const spanMs = { from: Date.UTC(2030, 0, 1), to: Date.UTC(2030, 0, 2) - 1 };
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

/** Inputs with every member, none of which may be lost. */
test.each<[string, z.ZodType, object, object?]>([
  ["auth.login", loginInput, { email: "any text", password: "" }],
  ["auth.signUp", signUpInput, { accountName: "Shop", email: "a@b.example", password, name: "Ada", setupCode: "1234" }],
  ["auth.changePassword", changePasswordInput, { currentPassword: "", newPassword: password }],
  ["users.resetPassword", resetPasswordInput, { token: "t", password }],
  ["audit.list", listAuditInput, { actor: "a@b.example", action: "sites.create", ...span, ...page }, spanMs],
  ["users.acceptInvite", acceptInviteInput, { token: "t", name: "Ada", password }],
  ["users.invite", inviteInput, { email: "a@b.example", role: "owner" }],
  ["users.setRole", setRoleInput, { id, role: "viewer" }],
  ["tokens.create", createTokenInput, { name: "CI", role: "operator", expiresAt: "2030-01-01" }, { expiresAt: new Date("2030-01-01") }],
  ["bindings.create", createBindingInput, { ...binding, enabled: false }],
  ["bindings.update", updateBindingInput, { id, ...binding, enabled: true }],
  ["bindings.preview", previewBindingInput, { ...binding, payload: { a: 1 } }],
  ["bindings.list", listBindingsInput, { siteId: id, event: "Order", templateId: id, ...page }, { event: "order" }],
  ["events.list", listEventsInput, { siteId: id, event: "a", orderId: id, test: true, dryRun: false, ...span, ...page }, spanMs],
  ["events.names", eventNamesInput, { siteId: id, ...page }],
  ["events.fields", eventFieldsInput, { siteId: id, event: "order.created" }],
  ["notifications.resend", resendNotificationInput, { id, force: true }],
  ["notifications.resendCount", resendFilterInput, { siteId: id, template: "t", errorCode: "131026", ...span }, spanMs],
  ["notifications.resendMany", resendManyInput, { eventId: id, phone: "170", errorCode: "131026", force: true }],
  ["optOuts.list", listOptOutsInput, { phone, ...page }],
  [
    "notifications.list",
    listNotificationsInput,
    { siteId: id, eventId: id, status: "failed", event: "a", phone: "170", template: "t", ...span, ...page },
    spanMs,
  ],
  ["recipients.list", listRecipientsInput, { siteId: id, ...page }],
  ["recipients.add", addRecipientInput, { siteId: id, phone, label: "", active: false }],
  ["recipients.update", updateRecipientInput, { id, siteId: id, phone, label: "Ada", active: true }],
  ["sandbox.messages", sandboxMessagesInput, { to: phone, ...page }],
  ["sandbox.markRead", markReadInput, { id: "wamid.1" }],
  ["sandbox.answer", sandboxAnswerInput, { from: phone, text: "Stop" }],
  ["settings.update", updateSettingsInput, { timezone: "UTC", platform }],
  ["sites.create", createSiteInput, site],
  ["sites.list", listSitesInput, { search: "shop", ...page }],
  ["sites.update", updateSiteInput, { id, ...site, enabled: true, requireTimestamp: false, rateLimitPerSecond: 1_000_000 }],
  ["sites.rotate", rotateInput, { id, overlapSeconds: 86_400 }],
  ["stats.overview", overviewInput, { siteId: id, ...span }, { from: new Date("2030-01-01"), to: new Date("2030-01-02") }],
  ["stats.overview of days", overviewInput, { siteId: id, days: 400 }],
  ["templates.list", listTemplatesInput, { status: "draft", search: "a", ...page }],
  ["templates.update", updateTemplateInput, { id, name: "n", body: "b", footer: null }],
  ["templates.setHeaderMedia", setHeaderMediaInput, { id, url: "https://cdn.example/a.png", fileId: id }],
  ["x.get", idInput, { id }],
])("%s takes all that it knows", (_, schema, input, changes = {}) => {
  expect(schema.parse(input)).toEqual({ ...input, ...changes });
});

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
  for (const wrong of [{ limit: 0 }, { limit: 201 }, { limit: 1.5 }, { cursor: x(501) }]) {
    expect(schema.safeParse(wrong).success).toBe(false);
  }
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

test.each<[z.ZodType, object]>([
  [loginInput, { email: x(255), password }],
  [signUpInput, { accountName: "a", email: "a@b.example", password, setupCode: x(201) }],
  [acceptInviteInput, { token: x(201), name: "Ada", password }],
  [createTokenInput, { name: "CI", role: "root" }],
  [addRecipientInput, { siteId: id, phone, label: " " }],
  [markReadInput, { id: "" }],
  [sandboxMessagesInput, { to: x(31) }],
  [updateSiteInput, { id, rateLimitPerSecond: 0 }],
  [updateSiteInput, { id, rateLimitPerSecond: 0.5 }],
  [updateSiteInput, { id, rateLimitPerSecond: 1_000_001 }],
  [rotateInput, { id, overlapSeconds: 86_401 }],
  [rotateInput, { id, overlapSeconds: -1 }],
  [createSiteInput, { ...site, sourceType: "other" }],
  [createSiteInput, { ...site, url: `https://${x(2000)}` }],
])("%# refuses %j too", (schema, input) => {
  expect(schema.safeParse(input).success).toBe(false);
});
