import { beforeAll, describe, expect, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { addTemplate, detailsOf, errorOf, messageId, openSandbox, orderMessage } from "../../../../test/support/sandbox.ts";
import { shared } from "../../../../test/support/shared.ts";

const sandbox = shared(async () => openSandbox());
beforeAll(async () => {
  await addTemplate(sandbox);
});

const path = () => `/v25.0/${sandbox.account.phoneNumberId}/messages`;
const body = { messaging_product: "whatsapp", to: "+491701234567", type: "template", template: orderMessage };

test("a message is accepted and shown as the phone would show it", async () => {
  const answer = await sandbox.send("+491701234567", orderMessage);
  expect(answer.status).toBe(200);
  expect(answer.json).toEqual({
    messaging_product: "whatsapp",
    contacts: [{ input: "+491701234567", wa_id: "491701234567" }],
    messages: [{ id: expect.stringMatching(/^wamid\.[A-Za-z0-9+/]+=*$/), message_status: "accepted" }],
  });
  const inbox = await sandbox.call("GET", "/_sandbox/messages?to=+491701234567", undefined, null);
  // The status may change between two reads.
  const unfiltered = await sandbox.call("GET", "/_sandbox/messages?to=", undefined, null);
  expect(unfiltered.json).toMatchObject([{ id: messageId(answer) }]);
  expect((await sandbox.call("GET", "/_sandbox/messages?to=nobody", undefined, null)).json).toEqual([]);
  expect(inbox.json).toMatchObject([
    {
      id: messageId(answer),
      to: "+491701234567",
      template: "order_shipped",
      language: "en_US",
      components: orderMessage.components,
      text: "Order 10042\n\nHello Ada, your parcel DHL-77 is on its way.\n\nExample Shop\n\n[Track] https://shop.example/t/77\n[Call us] +4930123456",
      header: { format: "TEXT", text: "Order 10042" },
      body: "Hello Ada, your parcel DHL-77 is on its way.",
      footer: "Example Shop",
      buttons: [
        { type: "URL", text: "Track", url: "https://shop.example/t/77" },
        { type: "PHONE_NUMBER", text: "Call us", phoneNumber: "+4930123456" },
      ],
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    },
  ]);
});

test("the same request twice makes two messages", async () => {
  const [one, two] = [await sandbox.send("+491700000002", orderMessage), await sandbox.send("+491700000002", orderMessage)];
  expect(messageId(one)).not.toBe(messageId(two));
});

test.each(["/v17.0", "/v26.0", ""])("the version segment %j is as good as any", async (version) => {
  const answer = await sandbox.call("POST", `${version}/${sandbox.account.phoneNumberId}/messages`, body);
  expect(answer.status).toBe(200);
});

describe("checks come in order: token, sender, body, template, parameters", () => {
  const wrong = { messaging_product: "whatsapp", to: "", type: "template", template: { name: "nope", language: { code: "xx" } } };

  test("no token", async () => {
    const answer = await sandbox.call("POST", "/v25.0/1/messages", wrong, null);
    expect([answer.status, errorOf(answer)["code"], errorOf(answer)["type"]]).toEqual([401, 104, "OAuthException"]);
  });

  test("a wrong token", async () => {
    const answer = await sandbox.call("POST", "/v25.0/1/messages", wrong, "EAAnope");
    expect([answer.status, errorOf(answer)["code"]]).toEqual([401, 190]);
  });

  test("another sender, also one of another account", async () => {
    const { phoneNumberId } = await sandbox.openAccount();
    for (const id of ["1", phoneNumberId, sandbox.account.wabaId]) {
      const answer = await sandbox.call("POST", `/v25.0/${id}/messages`, wrong);
      expect(answer.status).toBe(400);
      expect(errorOf(answer)).toEqual({
        message: `Unsupported post request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation. Please read the Graph API documentation at https://developers.facebook.com/docs/graph-api`,
        type: "GraphMethodException",
        code: 100,
        error_subcode: 33,
      });
    }
  });

  test("the body", async () => {
    expect(errorOf(await sandbox.call("POST", path(), wrong))["message"]).toBe("(#100) The parameter to is required.");
  });

  test("the template", async () => {
    const answer = await sandbox.call("POST", path(), { ...wrong, to: "+491701234567" });
    expect(answer.status).toBe(404);
    expect(errorOf(answer)).toEqual(data("sandbox-send-send", "the template"));
  });
});

describe("the body", () => {
  test.each([
    ["messaging_product", { messaging_product: undefined }, "(#100) The parameter messaging_product is required."],
    ["product", { messaging_product: "sms" }, '(#100) Param messaging_product must be one of {WHATSAPP} - got "sms".'],
    ["template", { template: undefined }, "(#100) The parameter template is required."],
    ["name", { template: { language: { code: "en_US" } } }, "(#100) The parameter template['name'] is required."],
    ["language", { template: { name: "a" } }, "(#100) The parameter template['language'] is required."],
    ["code", { template: { name: "a", language: {} } }, "(#100) The parameter template['language']['code'] is required."],
    [
      "reference",
      { biz_opaque_callback_data: "x".repeat(513) },
      "(#100) Param biz_opaque_callback_data must be at most 512 characters long.",
    ],
    ["no number", { to: "12" }, "(#131009) Parameter value is not valid"],
    ["letters", { to: "+49170ABCDEFG" }, "(#131009) Parameter value is not valid"],
    ["text message", { type: "text", text: { body: "Hello" } }, "(#131047) Re-engagement message"],
    ["unknown type", { type: "pigeon" }, "(#131051) Unsupported message type"],
  ])("%s", async (_name, change, message) => {
    const answer = await sandbox.call("POST", path(), { ...body, ...change });
    expect([answer.status, errorOf(answer)["message"]]).toEqual([400, message]);
  });

  test("a reference of 512 characters and a language policy are taken", async () => {
    const template = { ...orderMessage, language: { code: "en_US", policy: "deterministic" } };
    const answer = await sandbox.send("+491701234567", template, {
      biz_opaque_callback_data: "x".repeat(512),
      recipient_type: "individual",
    });
    expect(answer.status).toBe(200);
  });

  test("no JSON at all", async () => {
    const answer = await sandbox.call("POST", path(), "{");
    expect([answer.status, errorOf(answer)["code"]]).toEqual([400, 100]);
  });

  test("the sender itself", async () => {
    const answer = await sandbox.send(sandbox.account.displayPhoneNumber, orderMessage);
    expect(errorOf(answer)["code"]).toBe(131021);
  });
});

describe("the recipient", () => {
  test.each(data<[string, string][]>("sandbox-send-send", "s has the id s"))("%s has the id %s", async (to, waId) => {
    const answer = await sandbox.send(to, orderMessage);
    expect(answer.json).toMatchObject({ contacts: [{ input: to, wa_id: waId }] });
  });
});

test("a language is not another: en is not en_US", async () => {
  const answer = await sandbox.send("+491701234567", { ...orderMessage, language: { code: "en" } });
  expect(detailsOf(answer)).toBe("template name (order_shipped) does not exist in en");
});

test("text of any kind survives", async () => {
  const hostile = 'ä€😀 "quoted" \\ \u0000 \ud800 <b>';
  const components = [
    orderMessage.components[0],
    {
      type: "body",
      parameters: [
        { type: "text", text: hostile },
        { type: "text", text: "x" },
      ],
    },
    orderMessage.components[2],
  ];
  const answer = await sandbox.send("+491700000009", { ...orderMessage, components });
  expect(answer.status).toBe(200);
  const inbox = await sandbox.call("GET", "/_sandbox/messages?to=%2B491700000009", undefined, null);
  expect(inbox.json).toMatchObject([{ body: `Hello ${hostile}, your parcel x is on its way.` }]);
});
