import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  addTemplate,
  errorOf,
  messageId,
  openCallbackReceiver,
  openSandbox,
  type OpenSandbox,
  orderTemplate,
} from "../../../test/support/sandbox.ts";
import { waitFor } from "../../../test/support/wait-for.ts";

let sandbox: OpenSandbox;
let now = Date.now();
const dayMs = 24 * 3_600_000;
const to = "+4915550100001";

beforeEach(async () => {
  now = Date.now();
  sandbox = await openSandbox({ now: () => now });
  for (const category of ["MARKETING", "UTILITY"]) {
    const components = [{ type: "BODY", text: "There is something new in the shop today." }];
    await addTemplate(sandbox, { name: category.toLowerCase(), language: "en", category, components });
  }
});
afterEach(async () => sandbox[Symbol.asyncDispose]());

const change = async (wishes: object) => {
  const answer = await sandbox.call("PATCH", `/_sandbox/accounts/${sandbox.account.wabaId}`, wishes, null);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json as Record<string, unknown>;
};
const say = async (value: object, more: object = {}) =>
  sandbox.call("POST", "/_sandbox/account-updates", { wabaId: sandbox.account.wabaId, value, ...more }, null);
const path = (name: string) => `/v25.0/${sandbox.account.phoneNumberId}/${name}`;
const message = (name: string) => ({ messaging_product: "whatsapp", to, type: "template", template: { name, language: { code: "en" } } });
const send = async (name: string, endpoint = "messages", more: object = {}) =>
  sandbox.call("POST", path(endpoint), { ...message(name), ...more });
const codeOf = async (answer: ReturnType<typeof send>) => [(await answer).status, errorOf(await answer)["code"]];
const pricesOf = async (id: string) => {
  const last = await waitFor("the end", () => {
    now += 10;
    return sandbox.receiver.statuses(id).find(({ status }) => status === "read" || status === "failed");
  });
  return last.status === "failed"
    ? last["errors"]
    : sandbox.receiver.statuses(id).map(({ pricing }) => (pricing as { category: string } | undefined)?.category);
};
const updates = async (field: string, count: number) =>
  waitFor(field, () => sandbox.receiver.updates(field).length >= count && sandbox.receiver.updates(field));
const templateId = async (name: string) =>
  ((await sandbox.call("GET", `/${sandbox.account.wabaId}/message_templates?name=${name}`)).json as { data: { id: string }[] }).data[0]
    ?.id ?? "";

test("marketing goes by its own endpoint, and by `/messages` unless that is switched off for it alone", async () => {
  const waba = `/v25.0/${sandbox.account.wabaId}`;
  const own = await send("marketing", "marketing_messages", { product_policy: "STRICT", message_activity_sharing: false });
  expect(await pricesOf(messageId(own))).toEqual(["marketing_lite", "marketing_lite", undefined]);
  expect(await pricesOf(messageId(await send("marketing")))).toEqual(["marketing", "marketing", undefined]);
  expect((await sandbox.call("POST", waba, { disable_marketing_messages_on_cloud_api: true })).json).toEqual({ success: true });
  const fields = "disable_marketing_messages_on_cloud_api,marketing_messages_onboarding_status";
  expect((await sandbox.call("GET", `${waba}?fields=${fields}`)).json).toMatchObject({ disable_marketing_messages_on_cloud_api: true });
  expect(await codeOf(send("marketing"))).toEqual([400, 131063]);
  expect((await send("utility")).status).toBe(200);
  expect((await send("marketing", "marketing_messages")).status).toBe(200);
  expect(await change({ marketingOnMessages: true })).toMatchObject({ marketingOnMessages: true });
  expect((await send("marketing")).status).toBe(200);
});

test("the marketing endpoint's refusals", async () => {
  const other = "marketing_messages";
  expect(await codeOf(send("utility", other))).toEqual([400, 131055]);
  expect(errorOf(await send("marketing", other, { type: "text", text: { body: "x" } }))["message"]).toBe(
    "(#100) Message must be a template message.",
  );
  expect(await codeOf(send("marketing", other, { product_policy: "LOOSE" }))).toEqual([400, 100]);
  const id = await templateId("marketing");
  await sandbox.call("PATCH", `/_sandbox/templates/${id}`, { syncing: true }, null);
  expect(await codeOf(send("marketing", other))).toEqual([400, 134101]);
  await sandbox.call("PATCH", `/_sandbox/templates/${id}`, { syncing: false, category: "UTILITY" }, null);
  expect(await codeOf(send("marketing", other))).toEqual([400, 134100]);
  await sandbox.call("PATCH", `/_sandbox/templates/${id}`, { category: "MARKETING" }, null);
  await change({ marketingMessages: false });
  expect(await codeOf(send("marketing", other))).toEqual([500, 134102]);
  const components = [{ type: "BODY", text: "Something new at a highest price." }];
  await addTemplate(sandbox, { name: "priced", language: "en", category: "MARKETING", components, bid_spec: { bid_amount: 1 } });
  await change({ marketingMessages: true });
  expect(await codeOf(send("priced"))).toEqual([400, 131061]);
  expect((await send("priced", other)).status).toBe(200);
  const { userId } = (await sandbox.call("POST", "/_sandbox/people", { phoneNumberId: sandbox.account.phoneNumberId, phone: to }, null))
    .json as { userId: string };
  expect(await codeOf(send("priced", other, { to: undefined, recipient: userId }))).toEqual([400, 131062]);
});

test("the cap on utility messages counts the last 24 hours, over restarts, in both forms, and leaves marketing alone", async () => {
  await send("utility");
  await change({ utilityCap: 3 });
  now += dayMs / 2;
  await send("utility");
  await sandbox.restart();
  expect((await Promise.all([send("utility"), send("utility")])).map(({ status }) => String(status)).toSorted()).toEqual(["200", "400"]);
  expect(await codeOf(send("utility"))).toEqual([400, 131064]);
  expect((await send("marketing")).status).toBe(200);
  await change({ utilityCapBy: "callback" });
  expect(await pricesOf(messageId(await send("utility")))).toMatchObject([{ code: 131064 }]);
  now += dayMs / 2;
  await change({ utilityCapBy: "answer" });
  expect((await send("utility")).status).toBe(200);
  expect(await codeOf(send("utility"))).toEqual([400, 131064]);
  await change({ utilityCap: null });
  expect((await send("utility")).status).toBe(200);
});

describe("account updates", () => {
  test("are reported as they are, in the field that they are of", async () => {
    const value = { event: "SOMETHING_NEW", detail: { a: [1, "ü"] } };
    expect((await say(value)).status).toBe(200);
    expect(await updates("account_update", 1)).toEqual([value]);
    const alert = { entity_type: "PHONE_NUMBER", entity_id: "1", alert_info: { alert_severity: "CRITICAL", alert_status: "ACTIVE" } };
    await say(alert, { field: "account_alerts" });
    expect(await updates("account_alerts", 1)).toEqual([alert]);
    const [entry] = sandbox.receiver.received.flatMap(({ body }) =>
      body.entry.filter(({ changes }) => changes[0]?.field === "account_alerts"),
    );
    expect(entry).toMatchObject({ id: sandbox.account.wabaId, time: expect.any(Number) });
    expect((await say(value, { field: "messages" })).status).toBe(400);
    expect((await say(value, { wabaId: "1" })).status).toBe(404);
  });

  test("a ban and a restriction of business messages block sends until they end", async () => {
    const ban = async (waba_ban_state: string) =>
      say({ event: "DISABLED_UPDATE", ban_info: { waba_ban_state, waba_ban_date: "December 3, 2026" } });
    const health = async () =>
      (
        (await sandbox.call("GET", `/${sandbox.account.phoneNumberId}?fields=health_status`)).json as {
          health_status: { can_send_message: string };
        }
      ).health_status.can_send_message;
    await ban("SCHEDULE_FOR_DISABLE");
    expect((await send("utility")).status).toBe(200);
    await ban("DISABLE");
    expect([...(await codeOf(send("utility"))), await health()]).toEqual([403, 131031, "BLOCKED"]);
    await ban("REINSTATE");
    expect([(await send("utility")).status, await health()]).toEqual([200, "AVAILABLE"]);
    const restriction_info = [{ restriction_type: "RESTRICTED_BIZ_INITIATED_MESSAGING", expiration: String(Math.floor(now / 1000) + 60) }];
    const restrict = () => say({ event: "ACCOUNT_RESTRICTION", restriction_info });
    await restrict();
    expect(await codeOf(send("utility"))).toEqual([403, 131031]);
    await ban("REINSTATE");
    expect((await send("utility")).status).toBe(200);
    await restrict();
    expect(await codeOf(send("utility"))).toEqual([403, 131031]);
    now += 61_000;
    expect([(await send("utility")).status, await health()]).toEqual([200, "AVAILABLE"]);
  });

  test("a suspension of utility templates turns them to MARKETING and refuses new ones until it ends", async () => {
    const violation_info = { violation_type: "UTILITY_TEMPLATE_ABUSE" };
    const restriction_info = [{ restriction_type: "RESTRICTED_UTILITY_TEMPLATES", expiration: Math.floor(now / 1000) + 600 }];
    await say({ event: "ACCOUNT_RESTRICTION", violation_info, restriction_info });
    const list = (await sandbox.call("GET", `/${sandbox.account.wabaId}/message_templates?fields=name,category,previous_category`)).json;
    expect(list).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ name: "utility", category: "MARKETING", previous_category: "UTILITY" })]),
    });
    const create = async (name: string) => sandbox.call("POST", `/${sandbox.account.wabaId}/message_templates`, { ...orderTemplate, name });
    expect(errorOf(await create("one"))).toMatchObject({ code: 100, error_user_title: "Category not available" });
    await say({ event: "ACCOUNT_RESTRICTION", violation_info: { violation_type: "UTILITY_TEMPLATE_ABUSE_UNBAN" } });
    expect((await create("one")).status).toBe(200);
    await change({ utilityCap: 0 });
    await say({ event: "ACCOUNT_RESTRICTION", violation_info: { violation_type: "UTILITY_TEMPLATE_ABUSE_RATE_LIMIT_RECOVERY" } });
    expect(await change({})).toMatchObject({ utilityCap: null });
  });
});

test("quality, limit, throughput and LIMITED read as they are set, and what the platform tells of it is told", async () => {
  await change({ quality: "YELLOW", limit: "TIER_250", throughput: "HIGH", canSend: "LIMITED", nameStatus: "AVAILABLE_WITHOUT_REVIEW" });
  await change({ limit: "TIER_UNLIMITED" });
  await sandbox.restart();
  const fields = "quality_rating,name_status,throughput,whatsapp_business_manager_messaging_limit,health_status";
  expect((await sandbox.call("GET", `/${sandbox.account.phoneNumberId}?fields=${fields}`)).json).toMatchObject({
    quality_rating: "YELLOW",
    name_status: "AVAILABLE_WITHOUT_REVIEW",
    throughput: { level: "HIGH" },
    whatsapp_business_manager_messaging_limit: "TIER_UNLIMITED",
    health_status: {
      can_send_message: "LIMITED",
      entities: [{ entity_type: "PHONE_NUMBER", additional_info: [expect.stringContaining("display name")] }, {}, {}, {}],
    },
  });
  // What was being told when the sandbox ended is told once more.
  const limits = (await updates("business_capability_update", 2)).map(
    (told) => (told as Record<string, unknown>)["max_daily_conversations_per_business"],
  );
  expect([...new Set(limits)]).toEqual([250, -1]);
  for (const told of await updates("phone_number_quality_update", 1))
    expect(told).toMatchObject({ event: "THROUGHPUT_UPGRADE", max_daily_conversations_per_business: "TIER_250" });
  await expect(change({ limit: "TIER_3" })).rejects.toThrow("limit");
});

test("the app's fields read as they are set, and no others are told; prices are what they are set to", async () => {
  const { appId, appSecret } = sandbox.account;
  const fields = async () => {
    const { json } = await sandbox.call("GET", `/${appId}/subscriptions`, undefined, `${appId}|${appSecret}`);
    return (json as { data: { fields: { name: string }[] }[] }).data[0]?.fields.map(({ name }) => name);
  };
  expect(await fields()).toContain("account_update");
  await change({ fields: ["messages"], limit: "TIER_10K", price: { type: "free_entry_point", category: "marketing" } });
  expect(await fields()).toEqual(["messages"]);
  const id = messageId(await send("utility"));
  expect(await pricesOf(id)).toContain("marketing");
  expect(sandbox.receiver.statuses(id)).toContainEqual(
    expect.objectContaining({ pricing: expect.objectContaining({ type: "free_entry_point", billable: false }) }),
  );
  expect(sandbox.receiver.updates("business_capability_update")).toEqual([]);
});

test("`messages` go to the most specific address, everything else to the app's", async () => {
  await using elsewhere = await openCallbackReceiver();
  const read = async () =>
    (
      (await sandbox.call("GET", `/${sandbox.account.phoneNumberId}?fields=webhook_configuration`)).json as {
        webhook_configuration: object;
      }
    ).webhook_configuration;
  await change({ overrides: { phone_number: elsewhere.url, whatsapp_business_account: "http://127.0.0.1:9/nobody" } });
  expect(await read()).toEqual({
    application: sandbox.receiver.url,
    phone_number: elsewhere.url,
    whatsapp_business_account: "http://127.0.0.1:9/nobody",
  });
  const lost = messageId(await send("utility"));
  await addTemplate(sandbox);
  await waitFor("the statuses", () => {
    now += 10;
    return elsewhere.statuses(lost).length === 3;
  });
  await updates("message_template_status_update", 3);
  expect([sandbox.receiver.statuses(lost), elsewhere.updates("message_template_status_update")]).toEqual([[], []]);
  await change({ overrides: { phone_number: null, whatsapp_business_account: null } });
  expect(await pricesOf(messageId(await send("utility")))).toHaveLength(3);
});
