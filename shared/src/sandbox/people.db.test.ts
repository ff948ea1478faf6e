import { beforeAll, expect, test } from "vitest";
import { data } from "../../../test/support/data.ts";
import { addTemplate, errorOf, messageId, openSandbox, orderMessage, type StatusItem } from "../../../test/support/sandbox.ts";
import { shared } from "../../../test/support/shared.ts";
import { waitFor } from "../../../test/support/wait-for.ts";
import { connect } from "../db/connect.ts";

let now = Date.now();
const hourMs = 3_600_000;

const sandbox = shared(async () => openSandbox({ now: () => now }));
beforeAll(async () => {
  await addTemplate(sandbox);
});

const control = async (path: string, body: object) => {
  const answer = await sandbox.call("POST", `/_sandbox/${path}`, { phoneNumberId: sandbox.account.phoneNumberId, ...body }, null);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json as Record<string, unknown>;
};
const userIdOf = async (phone: string) => (await control("people", { phone }))["userId"] as string;
const post = async (body: object) =>
  sandbox.call("POST", `/v25.0/${sandbox.account.phoneNumberId}/messages`, { messaging_product: "whatsapp", ...body });
const statusesOf = async (id: string, last: string): Promise<StatusItem[]> => {
  await waitFor(`${id} ${last}`, () => {
    now += 10;
    return sandbox.receiver.statuses(id).some(({ status }) => status === last);
  });
  return sandbox.receiver.statuses(id);
};
const incoming = async (id: unknown) =>
  waitFor("the incoming message", () =>
    sandbox.receiver.updates("messages").find(({ messages }) => (messages as { id: string }[] | undefined)?.some((one) => one.id === id)),
  );
const contactsOf = (id: string, status: string) =>
  sandbox.receiver
    .updates("messages")
    .filter(({ statuses = [] }) => statuses.some((one) => one.id === id && one.status === status))
    .flatMap(({ contacts = [] }) => contacts);

test.each(data<[string, string][]>("sandbox-people", "the user id of s has the country s and is the account's own"))(
  "the user id of %s has the country %s and is the account's own",
  async (phone, country) => {
    const userId = await userIdOf(phone);
    expect(userId).toMatch(new RegExp(`^${country}\\.[A-Za-z0-9]{1,128}$`));
    const other = await sandbox.openAccount();
    const { userId: theirs } = (await sandbox.call("POST", "/_sandbox/people", { phoneNumberId: other.phoneNumberId, phone }, null))
      .json as {
      userId: string;
    };
    expect(theirs.slice(0, 3)).toBe(userId.slice(0, 3));
    expect(theirs).not.toBe(userId);
  },
);

test("a message to the phone of somebody who hides it names both; what they write, prefer and get by user id names the id alone, also after a restart", async () => {
  const phone = "+34600111222";
  const userId = await userIdOf(phone);
  await control("people", { phone, phoneVisible: false, username: "lucia.r" });
  await sandbox.restart();
  const byPhone = messageId(await sandbox.send(phone, orderMessage));
  const [sent, delivered] = await statusesOf(byPhone, "read");
  for (const item of [sent, delivered]) expect(item).toMatchObject({ recipient_id: "34600111222", recipient_user_id: userId });
  expect(sent).not.toHaveProperty("contact");
  const named = { profile: { name: "Sandbox", username: "lucia.r" }, wa_id: "34600111222", user_id: userId };
  expect(contactsOf(byPhone, "read")).toContainEqual(named);

  const { id } = await control("answers", { from: phone, text: "STOP", to: byPhone });
  const value = await incoming(id);
  const hidden = { profile: { name: "Sandbox", username: "lucia.r" }, user_id: userId };
  const number = sandbox.account.displayPhoneNumber.replaceAll(/\D/g, "");
  expect(value["contacts"]).toEqual([hidden]);
  expect(value["messages"]).toEqual([
    {
      from_user_id: userId,
      id,
      timestamp: expect.any(String),
      type: "text",
      text: { body: "STOP" },
      context: { from: number, id: byPhone },
    },
  ]);
  await control("preferences", { from: phone, value: "stop" });
  const preference = await waitFor("the preference", () => sandbox.receiver.updates("user_preferences")[0]);
  expect(preference.contacts).toEqual([hidden]);
  expect(preference["user_preferences"]).toEqual([
    {
      user_id: userId,
      detail: "User requested to stop marketing messages",
      category: "marketing_messages",
      value: "stop",
      timestamp: expect.any(Number),
    },
  ]);

  const answer = await post({ recipient: userId, type: "template", template: orderMessage });
  expect(answer.json).toMatchObject({ contacts: [{ input: userId, user_id: userId }] });
  const [first] = await statusesOf(messageId(answer), "read");
  expect(first).toMatchObject({ recipient_user_id: userId });
  expect(first).not.toHaveProperty("recipient_id");
  await control("people", { phone, phoneVisible: true });
  const shown = await statusesOf(messageId(await post({ recipient: userId, type: "template", template: orderMessage })), "read");
  expect(shown[0]).toMatchObject({ recipient_id: "34600111222", recipient_user_id: userId });
});

test("a user id in `to` is taken and nothing ever comes of it; `to` wins over `recipient`; an id of nobody fails", async () => {
  const userId = await userIdOf("+34600111223");
  const lost = await post({ to: userId, type: "template", template: orderMessage });
  expect(lost).toMatchObject({ status: 200, json: { messages: [{ id: expect.stringMatching(/^wamid\./), message_status: "accepted" }] } });
  const both = await post({ to: "+34600111224", recipient: userId, type: "template", template: orderMessage });
  expect((await statusesOf(messageId(both), "read"))[0]).toMatchObject({ recipient_id: "34600111224" });
  const unknown = await post({ recipient: "ES.2000AbC9", type: "template", template: orderMessage });
  expect((await statusesOf(messageId(unknown), "failed"))[0]).toMatchObject({
    recipient_user_id: "ES.2000AbC9",
    errors: [{ code: 131026 }],
  });
  expect(errorOf(await post({ recipient: "lucia.r", type: "template", template: orderMessage }))["code"]).toBe(131009);
  expect(sandbox.receiver.statuses(messageId(lost))).toEqual([]);
});

test("who moves to another phone gets another user id, and what is known of them moves along", async () => {
  const [old, fresh] = ["+34600111333", "+34600333444"];
  const former = await userIdOf(old);
  await control("people", { phone: old, username: "moving" });
  await control("preferences", { from: old, value: "stop" });
  const moved = await control("people", { phone: old, newPhone: fresh });
  expect(moved).toMatchObject({ waId: "34600333444", username: "moving" });
  const system = async (type: string) =>
    waitFor(type, () =>
      sandbox.receiver
        .updates("messages")
        .find(({ messages }) => (messages as { system?: { type: string } }[] | undefined)?.[0]?.system?.type === type),
    );
  const value = await system("user_changed_number");
  expect(value).not.toHaveProperty("contacts");
  expect(value["messages"]).toMatchObject([
    {
      from: "34600111333",
      from_user_id: former,
      type: "system",
      system: { wa_id: "34600333444", user_id: moved["userId"], previous_user_id: former },
    },
  ]);
  const account = await sandbox.call("GET", `/_sandbox/accounts/${sandbox.account.wabaId}`, undefined, null);
  expect((account.json as { stopped: string[] }).stopped).toContain("34600333444");
  const changed = await control("people", { phone: fresh, newUserId: true });
  const [message] = (await system("user_changed_user_id"))["messages"] as Record<string, unknown>[];
  expect(message).toMatchObject({
    from_user_id: moved["userId"],
    system: { user_id: changed["userId"], previous_user_id: moved["userId"] },
  });
  expect(JSON.stringify(message)).not.toContain("34600333444");
  await statusesOf(messageId(await post({ recipient: former, type: "template", template: orderMessage })), "failed");
});

test("blocked by the business: fails with 130403 until it is lifted; blocked by the person: stays sent", async () => {
  const to = "+4915550100777";
  const users = { messaging_product: "whatsapp", block_users: [{ user: to }] };
  const path = `/v25.0/${sandbox.account.phoneNumberId}/block_users`;
  expect(await sandbox.call("POST", path, users)).toMatchObject({ status: 400, json: { block_users: { failed_users: [{ input: to }] } } });
  await control("answers", { from: to, text: "Hello" });
  const userId = await userIdOf(to);
  expect((await sandbox.call("POST", path, users)).json).toEqual({
    messaging_product: "whatsapp",
    block_users: { added_users: [{ input: to, wa_id: "4915550100777" }] },
  });
  expect((await sandbox.call("GET", path)).json).toMatchObject({ data: [{ wa_id: "4915550100777", user_id: userId }] });
  const failed = messageId(await sandbox.send(to, orderMessage));
  const [item] = await statusesOf(failed, "failed");
  expect(item).not.toHaveProperty("recipient_user_id");
  expect(contactsOf(failed, "failed")).toEqual([]);
  expect(item?.["errors"]).toMatchObject([
    { code: 130403, error_data: { details: "Unable to deliver the message. This business has blocked the end user on WhatsApp" } },
  ]);
  await sandbox.call("DELETE", path, users);
  await statusesOf(messageId(await sandbox.send(to, orderMessage)), "read");
  await control("people", { phone: to, blocked: true });
  await statusesOf(messageId(await sandbox.send(to, orderMessage)), "failed");
  await control("people", { phone: to, blocked: false, blocksBusiness: true });
  const ignored = messageId(await sandbox.send(to, orderMessage));
  await statusesOf(messageId(await sandbox.send("+4915550100778", orderMessage)), "read");
  expect(sandbox.receiver.statuses(ignored).map(({ status }) => status)).toEqual(["sent"]);
});

test("free text goes out within a day of the person's last message, for no price; nothing but a template before and after", async () => {
  const to = "+4915550100900";
  const text = async () => post({ to, text: { body: "We are on it." } });
  expect(errorOf(await text())["code"]).toBe(131047);
  await control("answers", { from: to, text: "Hello?", advertised: true });
  const { contacts, messages } = (await text()).json as { contacts: object[]; messages: { id: string }[] };
  expect(contacts).toEqual([{ input: to, wa_id: "4915550100900" }]);
  expect(messages[0]).not.toHaveProperty("message_status");
  const [sent] = await statusesOf(messages[0]?.id ?? "", "read");
  expect(sent?.["pricing"]).toEqual({ billable: false, pricing_model: "PMP", type: "free_entry_point", category: "service" });
  const image = await post({ to, type: "image", image: { link: "https://shop.example/a.png", caption: "Look" } });
  const [shown] = (await sandbox.call("GET", "/_sandbox/messages?to=4915550100900&limit=1", undefined, null)).json as object[];
  expect(shown).toMatchObject({ id: messageId(image), template: "", category: "SERVICE", body: "Look", header: { format: "IMAGE" } });
  const { id } = await control("answers", { from: to, contact: true, to: messageId(image) });
  expect((await incoming(id))["messages"]).toMatchObject([
    { type: "contacts", contacts: [{ origin: "contact_request", phones: [{ wa_id: "4915550100900" }] }] },
  ]);
  expect((await post({ status: "read", message_id: id })).json).toEqual({ success: true });
  now += 24 * hourMs;
  expect(errorOf(await text())["code"]).toBe(131047);
  await control("answers", { from: to, text: "Still there?" });
  now += 72 * hourMs - 24 * hourMs;
  await control("answers", { from: to, text: "And now?" });
  const [paid] = await statusesOf(messageId(await text()), "read");
  expect(paid?.["pricing"]).toMatchObject({ billable: false, type: "free_customer_service", category: "service" });
});

test("a tap on a quick reply names its payload and the message that it stands below", async () => {
  const [from, phoneNumberId] = ["+4915550100905", sandbox.account.phoneNumberId];
  const buttons = [
    { type: "QUICK_REPLY", text: "Help" },
    { type: "QUICK_REPLY", text: "Fine" },
  ];
  await addTemplate(sandbox, {
    name: "ask",
    language: "en",
    category: "UTILITY",
    components: [
      { type: "BODY", text: "All well?" },
      { type: "BUTTONS", buttons },
    ],
  });
  const payload = { type: "button", sub_type: "quick_reply", index: 0, parameters: [{ type: "payload", payload: "order:1:help" }] };
  const to = messageId(await sandbox.send(from, { name: "ask", language: { code: "en" }, components: [payload] }));
  const tap = async (button: number) => (await incoming((await control("answers", { from, button, to }))["id"]))["messages"];
  expect(await tap(0)).toMatchObject([{ type: "button", button: { payload: "order:1:help", text: "Help" }, context: { id: to } }]);
  expect(await tap(1)).toMatchObject([{ button: { payload: "Fine", text: "Fine" } }]);
  const wrong = [{ button: 2, to }, { button: 0 }, { text: "x", contact: true }, {}];
  const answers = wrong.map(async (body) => sandbox.call("POST", "/_sandbox/answers", { phoneNumberId, from, ...body }, null));
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([400, 400, 400, 400]);
});

test("nobody's phone stands in a row; who is forgotten is a stranger again", async () => {
  const phone = "+4915550100901";
  await control("people", { phone, username: "ada.l", phoneVisible: false });
  const sql = connect(sandbox.databaseUrl, { max: 1 });
  const [rows] = await sql`select count(*)::integer as count, string_agg(row_to_json(person)::text, ' ') as stored from sandbox.person`;
  await sql.end();
  expect(rows?.["count"]).toBeGreaterThan(5);
  expect(rows?.["stored"]).not.toMatch(/4915550100901|ada\.l/);
  await control("forget", { phone });
  expect(await control("people", { phone })).toMatchObject({ username: null, phoneVisible: true });
  expect((await sandbox.call("POST", "/_sandbox/people", { phoneNumberId: "1", phone }, null)).status).toBe(404);
  const book = `/v25.0/${sandbox.account.phoneNumberId}/contact_book?messaging_product=whatsapp&bsuid=${await userIdOf(phone)}`;
  expect((await sandbox.call("DELETE", book)).json).toEqual({ messaging_product: "whatsapp", success: true, deleted: true });
  expect(await control("people", { phone })).toMatchObject({ phoneVisible: false });
});
