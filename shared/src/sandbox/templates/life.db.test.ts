import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import {
  addTemplate,
  detailsOf,
  errorOf,
  messageId,
  openSandbox,
  type OpenSandbox,
  orderMessage,
  orderTemplate,
} from "../../../../test/support/sandbox.ts";
import { waitFor } from "../../../../test/support/wait-for.ts";

let sandbox: OpenSandbox;
let now = Date.now();
const dayMs = 24 * 3_600_000;
const to = "+4915550100001";

beforeEach(async () => {
  now = Date.now();
  sandbox = await openSandbox({ now: () => now });
});
afterEach(async () => sandbox[Symbol.asyncDispose]());

const change = async (id: string, wishes: object) => {
  const answer = await sandbox.call("PATCH", `/_sandbox/templates/${id}`, wishes, null);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json as Record<string, unknown>;
};
const fields = "name,status,category,correct_category,previous_category,message_send_ttl_seconds,source,rejected_reason,components";
const listed = async (name: string) =>
  (
    (await sandbox.call("GET", `/${sandbox.account.wabaId}/message_templates?fields=${fields}&name=${name}`)).json as {
      data: Record<string, unknown>[];
    }
  ).data[0];
const updates = async (field: string, event: string) =>
  waitFor(`${field} ${event}`, () => {
    now += 10;
    return sandbox.receiver.updates(field).find((value) => JSON.stringify(value).includes(`"${event}"`));
  });
const statusesOf = async (id: string, last: string) => {
  await waitFor(last, () => {
    now += 10;
    return sandbox.receiver.statuses(id).some(({ status }) => status === last);
  });
  return sandbox.receiver.statuses(id);
};
const post = async (path: string, body: object) => sandbox.call("POST", `/v25.0/${path}`, body);

describe("held for quality assessment", () => {
  const held = async () => {
    const answer = await sandbox.send(to, orderMessage);
    expect(answer.json).toMatchObject({ messages: [{ message_status: "held_for_quality_assessment" }] });
    return messageId(answer);
  };

  test("messages tell nothing until the hold is released, or an hour is over", async () => {
    const id = await addTemplate(sandbox);
    const before = messageId(await sandbox.send(to, orderMessage));
    await change(id, { hold: true });
    const [first, second] = [await held(), await held()];
    await statusesOf(before, "read");
    await change(id, { hold: false });
    const statuses = [...(await statusesOf(first, "read")), ...(await statusesOf(second, "read"))];
    expect(statuses.map(({ status }) => status)).toEqual(["sent", "delivered", "read", "sent", "delivered", "read"]);
    for (const { timestamp } of statuses) expect(Math.abs(Number(timestamp) - now / 1000)).toBeLessThan(60);
    expect((await sandbox.send(to, orderMessage)).json).toMatchObject({ messages: [{ message_status: "accepted" }] });
    await change(id, { hold: true });
    const forgotten = await held();
    await sandbox.restart();
    expect(sandbox.receiver.statuses(forgotten)).toEqual([]);
    now += 3_600_000;
    await statusesOf(forgotten, "read");
    await change(id, { quality: "GREEN" });
    expect((await sandbox.send(to, orderMessage)).json).toMatchObject({ messages: [{ message_status: "accepted" }] });
  });

  test("bad feedback pauses the template and fails what it held, until it is unpaused by hand", async () => {
    const id = await addTemplate(sandbox);
    await change(id, { hold: true });
    const [one, two] = [await held(), await held()];
    await change(id, { status: "PAUSED" });
    for (const message of [one, two]) {
      const [item, ...more] = await statusesOf(message, "failed");
      expect(item?.["errors"]).toMatchObject([{ code: 132015, error_data: { details: expect.stringContaining("template pacing") } }]);
      expect(more).toEqual([]);
    }
    expect(await updates("message_template_status_update", "PAUSED")).toMatchObject({
      reason: "NONE",
      other_info: { title: "RATE_LIMITING_PAUSE" },
    });
    expect(errorOf(await sandbox.send(to, orderMessage))["code"]).toBe(132015);
    expect((await post(`${id}/unpause`, {})).json).toEqual({ success: true });
    await statusesOf(messageId(await sandbox.send(to, orderMessage)), "read");
    expect((await sandbox.call("GET", "/_sandbox/messages?unreached=1&limit=10", undefined, null)).json).toMatchObject([
      { status: "read" },
      { id: two, status: "failed", errorCode: 132015 },
      { id: one, status: "failed" },
    ]);
  });
});

describe("a category that is announced", () => {
  const announced = async (category: string | null, id: string) => change(id, { announceCategory: category });

  test("is in the list at once and comes a day later, without the time to live", async () => {
    const id = await addTemplate(sandbox, { ...orderTemplate, message_send_ttl_seconds: 7_200 });
    expect(await announced("MARKETING", id)).toMatchObject({ category: "UTILITY", correct_category: "MARKETING" });
    const reference = { message_template_id: Number(id), message_template_name: "order_shipped", message_template_language: "en-US" };
    const notice = await updates("template_category_update", "MARKETING");
    expect(notice).toEqual({
      ...reference,
      new_category: "UTILITY",
      correct_category: "MARKETING",
      category_update_timestamp: expect.any(Number),
    });
    expect(await listed("order")).toMatchObject({ category: "UTILITY", correct_category: "MARKETING", message_send_ttl_seconds: 7_200 });
    now = (notice["category_update_timestamp"] as number) * 1000 + 1000;
    await sandbox.restart();
    expect(await updates("template_category_update", "previous_category")).toEqual({
      ...reference,
      previous_category: "UTILITY",
      new_category: "MARKETING",
    });
    const after = await listed("order");
    expect(after).toMatchObject({ category: "MARKETING", correct_category: "MARKETING", previous_category: "UTILITY", status: "APPROVED" });
    expect(after).not.toHaveProperty("message_send_ttl_seconds");
  });

  test("can be taken back, and AUTHENTICATION rejects the template on the first of the next month", async () => {
    const id = await addTemplate(sandbox);
    await announced("MARKETING", id);
    await announced(null, id);
    now += 2 * dayMs;
    expect(await listed("order")).toMatchObject({ category: "UTILITY" });
    expect(await listed("order")).not.toHaveProperty("correct_category");
    await announced("AUTHENTICATION", id);
    now += 31 * dayMs;
    await sandbox.restart();
    expect(await updates("message_template_status_update", "INCORRECT_CATEGORY")).toMatchObject({ event: "REJECTED" });
    expect(await listed("order")).toMatchObject({ category: "UTILITY", status: "REJECTED", rejected_reason: "INCORRECT_CATEGORY" });
  });
});

test("an archived template cannot be sent, comes back as it was, and is gone after 28 days", async () => {
  const id = await addTemplate(sandbox);
  const call = async (name: string, ids: string) =>
    (await post(`${sandbox.account.wabaId}/message_templates/${name}`, { hsm_ids: ids })).json;
  expect(await call("archive", `${id},7`)).toEqual({ archived_templates: [id], failed_templates: { "7": "Template does not exist" } });
  await updates("message_template_status_update", "ARCHIVED");
  expect(errorOf(await sandbox.send(to, orderMessage))["code"]).toBe(132001);
  expect(await call("unarchive", id)).toEqual({ unarchived_templates: [id] });
  expect(await call("unarchive", id)).toEqual({ unarchived_templates: [], failed_templates: { [id]: "Template is not archived" } });
  expect((await sandbox.send(to, orderMessage)).status).toBe(200);
  await change(id, { status: "ARCHIVED" });
  await change(id, { announceCategory: "MARKETING" });
  now += 28 * dayMs;
  await updates("message_template_status_update", "DELETED");
  expect(await listed("order")).toBeUndefined();
});

describe("one-time codes", () => {
  const otp = { type: "OTP", otp_type: "COPY_CODE", text: "Code kopieren" };
  const login = (button: object = otp) => ({
    name: "login_code",
    language: "de",
    category: "AUTHENTICATION",
    message_send_ttl_seconds: 300,
    components: [
      { type: "BODY", add_security_recommendation: true },
      { type: "FOOTER", code_expiration_minutes: 10 },
      { type: "BUTTONS", buttons: [button] },
    ],
  });
  const message = (code: string) => ({
    name: "login_code",
    language: { code: "de" },
    components: [
      { type: "body", parameters: [{ type: "text", text: code }] },
      { type: "button", sub_type: "url", index: "0", parameters: [{ type: "text", text: code }] },
    ],
  });

  test("are listed as a link with one variable, and take the code twice", async () => {
    await addTemplate(sandbox, login());
    const link = "https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code_expiration_minutes=10&code=otp";
    expect(await listed("login")).toMatchObject({
      message_send_ttl_seconds: 300,
      components: [
        { type: "BODY", text: expect.stringMatching(/^\*\{\{1\}\}\* ist dein Verifizierungscode\./), add_security_recommendation: true },
        { type: "FOOTER", text: "Der Code läuft in 10 Minuten ab.", code_expiration_minutes: 10 },
        { type: "BUTTONS", buttons: [{ type: "URL", text: "Code kopieren", url: `${link}{{1}}`, example: [`${link}123456`] }] },
      ],
    });
    const sent = messageId(await sandbox.send(to, message("493817")));
    expect((await statusesOf(sent, "read"))[0]?.["pricing"]).toMatchObject({ category: "authentication", type: "regular" });
    const abroad = messageId(await sandbox.send("+919876543210", message("493817")));
    expect((await statusesOf(abroad, "read"))[0]?.["pricing"]).toMatchObject({ category: "authentication_international" });
    expect(detailsOf(await sandbox.send(to, message("1234567890123456")))).toContain("15 characters");
    expect((await sandbox.send(to, message("123456789012345"))).status).toBe(200);
    expect(errorOf(await sandbox.send(to, { ...message("1"), components: message("1").components.slice(0, 1) }))["code"]).toBe(131008);
    const { userId } = (await sandbox.call("POST", "/_sandbox/people", { phoneNumberId: sandbox.account.phoneNumberId, phone: to }, null))
      .json as {
      userId: string;
    };
    expect(errorOf(await sandbox.send(to, message("1"), { to: undefined, recipient: userId }))["code"]).toBe(131062);
  });

  const apps = [{ package_name: "com.example.shop", signature_hash: "K8a/AINcGX7" }];
  test.each([
    ["ONE_TAP", { otp_type: "ONE_TAP", supported_apps: apps }],
    ["ZERO_TAP", { otp_type: "ZERO_TAP", supported_apps: apps, zero_tap_terms_accepted: true }],
  ])("%s names the app", async (type, button) => {
    await addTemplate(sandbox, login({ type: "OTP", ...button }));
    const [, , { buttons }] = ((await listed("login")) ?? {})["components"] as [
      object,
      object,
      { buttons: { url: string; text: string }[] },
    ];
    const url = new URL(buttons[0]?.url ?? "");
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      otp_type: type,
      package_name: "com.example.shop",
      signature_hash: "K8a/AINcGX7",
    });
    expect(buttons[0]?.text).toBe("Code kopieren");
    expect((await sandbox.send(to, message("493817"))).status).toBe(200);
  });

  test.each([
    ["a text of its own", { components: orderTemplate.components }],
    ["no app for a tap", login({ ...otp, otp_type: "ONE_TAP" })],
    ["no terms for no tap", login({ ...otp, otp_type: "ZERO_TAP", supported_apps: apps })],
    [
      "91 minutes",
      { components: [{ type: "BODY" }, { type: "FOOTER", code_expiration_minutes: 91 }, { type: "BUTTONS", buttons: [otp] }] },
    ],
    ["901 seconds to live", { message_send_ttl_seconds: 901 }],
  ])("%s is refused", async (_what, wishes) => {
    const answer = await post(`${sandbox.account.wabaId}/message_templates`, { ...login(), ...wishes });
    expect([answer.status, errorOf(answer)["code"]]).toEqual([400, 100]);
  });

  test("come in many languages at once, approved, and again with other components", async () => {
    const { language: _language, components: _components, ...rest } = login();
    const upsert = async (components: object[]) =>
      (await post(`${sandbox.account.wabaId}/upsert_message_templates`, { ...rest, languages: ["de", "en_US"], components })).json as {
        data: { id: string }[];
      };
    const buttons = { type: "BUTTONS", buttons: [{ type: "OTP", otp_type: "COPY_CODE" }] };
    const first = await upsert([{ type: "BODY" }, buttons]);
    expect(first).toEqual({
      data: [
        { id: expect.any(String), status: "APPROVED", language: "de" },
        { id: expect.any(String), status: "APPROVED", language: "en_US" },
      ],
    });
    expect(await upsert([{ type: "BODY", add_security_recommendation: true }, buttons])).toEqual(first);
    expect((await sandbox.call("GET", `/${first.data[1]?.id ?? ""}?fields=components`)).json).toMatchObject(
      data<object>("sandbox-templates-life", "come in many languages at once, approved, and ag"),
    );
    expect((await sandbox.send(to, message("493817"))).status).toBe(200);
  });
});

describe("Direct Send", () => {
  const send = async (more: object) =>
    post(`${sandbox.account.phoneNumberId}/messages`, { messaging_product: "whatsapp", to, type: "text", ...more });
  const parcel = (number: number) => ({
    category: "utility",
    ttl_seconds: 7_200,
    text: { body: `Dein Paket DHL-${number} ist unterwegs.` },
  });
  const enable = async () => sandbox.call("PATCH", `/_sandbox/accounts/${sandbox.account.wabaId}`, { directSend: true }, null);

  test("makes one template of each text, which is hidden from nobody and cannot be changed", async () => {
    expect(errorOf(await send(parcel(77)))["message"]).toBe("(#100) Direct Send isn't enabled for this account");
    await enable();
    const sent = messageId(await send(parcel(77)));
    expect((await statusesOf(sent, "read"))[0]?.["pricing"]).toMatchObject({ category: "utility", type: "regular" });
    expect((await send(parcel(78))).status).toBe(200);
    const { data } = (await sandbox.call("GET", `/${sandbox.account.wabaId}/message_templates?fields=${fields}&name=direct_send_`))
      .json as {
      data: { id: string; name: string }[];
    };
    expect(data).toMatchObject([
      {
        name: expect.stringMatching(/^direct_send_text_[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/),
        status: "APPROVED",
        category: "UTILITY",
        source: "AUTO_GENERATED",
        components: [{ type: "BODY", text: "Dein Paket {{1}} ist unterwegs.", example: { body_text: [["DHL-77"]] } }],
      },
    ]);
    const { id, name } = data[0] ?? { id: "", name: "" };
    expect(errorOf(await post(id, { components: orderTemplate.components }))["error_subcode"]).toBe(2388318);
    const path = `/${sandbox.account.wabaId}/message_templates?name=${name}`;
    expect(errorOf(await sandbox.call("DELETE", path))["error_subcode"]).toBe(2388330);
  });

  test.each([
    ["a time to live without a category", { ttl_seconds: 60, text: { body: "x" } }],
    ["another category", { category: "marketing", text: { body: "x" } }],
    ["a time that is too long", { ...parcel(1), ttl_seconds: 43_201 }],
    ["a text that is too long", { category: "utility", text: { body: "x".repeat(1_025) } }],
    ["a kind that it has not", { category: "utility", type: "image", image: { link: "https://shop.example/a.png" } }],
    ["three links", interactive(3, "Open")],
    ["a long label", interactive(1, "x".repeat(21))],
  ])("%s is refused", async (_what, body) => {
    await enable();
    const answer = await send(body);
    expect([answer.status, errorOf(answer)["code"]]).toEqual([400, 100]);
  });

  test("is blocked apart from templates", async () => {
    await enable();
    const restriction_info = [{ restriction_type: "RESTRICTED_DIRECT_SEND_UTILITY_TEMPLATES" }];
    const value = { event: "ACCOUNT_RESTRICTION", restriction_info };
    await sandbox.call("POST", "/_sandbox/account-updates", { wabaId: sandbox.account.wabaId, value }, null);
    expect(errorOf(await send(parcel(1)))["code"]).toBe(139200);
    expect((await sandbox.send(to, { name: "hello_world", language: { code: "en_US" } })).status).toBe(200);
  });

  function interactive(links: number, label: string) {
    const buttons = Array.from({ length: links }, (_, n) => ({ type: "url", text: label, url: `https://shop.example/${n}` }));
    return { category: "utility", type: "interactive", interactive: { type: "button", body: { text: "Look" }, action: { buttons } } };
  }
});

test("a button that asks for the phone takes no parameter", async () => {
  const components = [
    { type: "BODY", text: "May we call you?" },
    { type: "BUTTONS", buttons: [{ type: "REQUEST_CONTACT_INFO" }] },
  ];
  await addTemplate(sandbox, { name: "ask", language: "en", category: "UTILITY", components });
  const ask = { name: "ask", language: { code: "en" } };
  expect((await sandbox.send(to, ask)).status).toBe(200);
  const button = { type: "button", sub_type: "quick_reply", index: 0, parameters: [{ type: "payload", payload: "x" }] };
  expect(detailsOf(await sandbox.send(to, { ...ask, components: [button] }))).toContain("does not support parameters");
});
