import { afterAll, beforeAll, expect, test } from "vitest";
import { addTemplate, detailsOf, errorOf, openSandbox, type OpenSandbox } from "../../../../test/support/sandbox.ts";

let sandbox: OpenSandbox;

const body = (text: string, ...examples: string[]) => ({ type: "BODY", text, example: { body_text: [examples] } });
const urlButton = (url: string) => ({
  type: "URL",
  text: "Open",
  url,
  ...(url.includes("{{") && { example: [url.replace("{{1}}", "x")] }),
});
const text = (value: unknown, name?: string) => ({ type: "text", text: value, ...(name !== undefined && { parameter_name: name }) });
const bodyOf = (...parameters: unknown[]) => ({ type: "body", parameters });
const headerOf = (...parameters: unknown[]) => ({ type: "header", parameters });
const button = (index: number | string, type: string, ...parameters: unknown[]) => ({ type: "button", sub_type: type, index, parameters });
const image = { type: "image", image: { link: "https://shop.example/a.png" } };

const templates: Record<string, unknown[]> = {
  plain: [{ type: "BODY", text: "Thank you for your order." }],
  two: [body("Hello {{1}}, order {{2}} is paid.", "a", "b")],
  swapped: [body("Order {{2}} is for {{1}} now.", "a", "b")],
  titled: [
    { type: "HEADER", format: "TEXT", text: "Order {{1}}", example: { header_text: ["1"] } },
    { type: "BODY", text: "It is here." },
  ],
  image: [
    { type: "HEADER", format: "IMAGE", example: { header_handle: ["4::x"] } },
    { type: "BODY", text: "It is here." },
  ],
  document: [
    { type: "HEADER", format: "DOCUMENT", example: { header_handle: ["4::x"] } },
    { type: "BODY", text: "It is here." },
  ],
  location: [
    { type: "HEADER", format: "LOCATION" },
    { type: "BODY", text: "It is here." },
  ],
  call: [
    { type: "BODY", text: "It is here." },
    { type: "BUTTONS", buttons: [{ type: "PHONE_NUMBER", text: "Call", phone_number: "+4930123456" }] },
  ],
  fixed: [
    { type: "BODY", text: "It is here." },
    { type: "BUTTONS", buttons: [urlButton("https://shop.example/")] },
  ],
  replies: [
    { type: "BODY", text: "It is here." },
    {
      type: "BUTTONS",
      buttons: [{ type: "QUICK_REPLY", text: "Yes" }, { type: "QUICK_REPLY", text: "No" }, urlButton("https://shop.example/{{1}}")],
    },
  ],
  coupon: [
    { type: "BODY", text: "Save now." },
    { type: "BUTTONS", buttons: [{ type: "COPY_CODE", example: "SAVE10" }] },
  ],
};
const named = [
  {
    type: "BODY",
    text: "Hello {{first_name}}, order {{order}} is paid.",
    example: {
      body_text_named_params: [
        { param_name: "first_name", example: "Ada" },
        { param_name: "order", example: "1" },
      ],
    },
  },
];

beforeAll(async () => {
  sandbox = await openSandbox();
  for (const [name, components] of Object.entries(templates)) {
    await addTemplate(sandbox, { name, language: "de", category: "UTILITY", components });
  }
  await addTemplate(sandbox, { name: "named", language: "de", category: "UTILITY", parameter_format: "named", components: named });
});
afterAll(async () => sandbox[Symbol.asyncDispose]());

const send = async (name: string, components: unknown[]) => sandbox.send("+491701234567", { name, language: { code: "de" }, components });

const noText = "Parameter of type text is missing text value";
const unclean = "Param text cannot have new-line/tab characters or more than 4 consecutive spaces";

test.each<[string, string, unknown[], number, string]>([
  [
    "too few in the body",
    "two",
    [bodyOf(text("a"))],
    132000,
    "body: number of localizable_params (1) does not match the expected number of params (2)",
  ],
  ["none in the body", "two", [], 132000, "body: number of localizable_params (0) does not match the expected number of params (2)"],
  [
    "too many",
    "plain",
    [bodyOf(text("a"))],
    132000,
    "body: number of localizable_params (1) does not match the expected number of params (0)",
  ],
  ["none in the header", "titled", [], 132000, "header: number of localizable_params (0) does not match the expected number of params (1)"],
  [
    "a header that is none",
    "plain",
    [headerOf(text("a"))],
    132000,
    "header: number of localizable_params (1) does not match the expected number of params (0)",
  ],
  ["empty text", "two", [bodyOf(text("a"), text(""))], 131008, noText],
  ["no text", "two", [bodyOf(text("a"), { type: "text" })], 131008, noText],
  ["a line break", "two", [bodyOf(text("a"), text("b\nc"))], 132018, unclean],
  ["a tab", "two", [bodyOf(text("a"), text("b\tc"))], 132018, unclean],
  ["five spaces", "two", [bodyOf(text("a"), text("b     c"))], 132018, unclean],
  ["a long body", "two", [bodyOf(text("a"), text("b".repeat(1024)))], 132005, "body: translated text has more than 1024 characters"],
  ["a long header", "titled", [headerOf(text("b".repeat(55)))], 132005, "header: translated text has more than 60 characters"],
  ["an image in the body", "two", [bodyOf(text("a"), image)], 132012, "body: Format mismatch, expected TEXT, received IMAGE"],
  ["media left out", "image", [], 132012, "header: Format mismatch, expected IMAGE, received UNKNOWN"],
  ["text for media", "image", [headerOf(text("a"))], 132012, "header: Format mismatch, expected IMAGE, received TEXT"],
  ["media for other media", "document", [headerOf(image)], 132012, "header: Format mismatch, expected DOCUMENT, received IMAGE"],
  ["media for text", "titled", [headerOf(image)], 132012, "header: Format mismatch, expected TEXT, received IMAGE"],
  [
    "media without a source",
    "image",
    [headerOf({ type: "image", image: {} })],
    131008,
    "header: Parameter of type IMAGE requires an id or a link",
  ],
  [
    "media with a bad link",
    "image",
    [headerOf({ type: "image", image: { link: "a.png" } })],
    131009,
    'header: "a.png" is not a valid link',
  ],
  ["a phone button", "call", [button("0", "url", text("a"))], 100, "Button at index 0 is of type Call and does not support parameters"],
  ["a fixed URL", "fixed", [button("0", "url", text("a"))], 100, "Button at index 0 is of type Url and does not support parameters"],
  ["a URL left out", "replies", [], 131008, "buttons: Button at index 2 of type Url requires a parameter"],
  ["a URL without parameter", "replies", [button("2", "url")], 131008, "buttons: Button at index 2 of type Url requires a parameter"],
  [
    "the index counted over the dynamic ones",
    "replies",
    [button("0", "url", text("a"))],
    100,
    "Button at index 0 is of type QuickReply, not URL",
  ],
  [
    "a surplus button",
    "replies",
    [button("2", "url", text("a")), button("3", "url", text("a"))],
    132018,
    "buttons: There is no button at index 3 in the template",
  ],
  ["an empty suffix", "replies", [button("2", "url", text(""))], 131008, noText],
  [
    "a suffix with a space",
    "replies",
    [button("2", "url", text("a b"))],
    131009,
    "buttons: The parameter of the button at index 2 does not make a valid URL",
  ],
  ["a code left out", "coupon", [], 131008, "buttons: Button at index 0 of type CopyCode requires a parameter"],
  ["names left out", "named", [bodyOf(text("a"), text("b"))], 100, "Parameter name is missing or empty"],
  ["an unknown name", "named", [bodyOf(text("a", "first_name"), text("b", "x"))], 100, 'Parameter name "x" is not in the template'],
  ["a name twice", "named", [bodyOf(text("a", "order"), text("b", "order"))], 100, "Parameter name is given more than once"],
  [
    "too few named",
    "named",
    [bodyOf(text("a", "order"))],
    132000,
    "body: number of localizable_params (1) does not match the expected number of params (2)",
  ],
])("refused: %s", async (_case, name, components, code, details) => {
  const answer = await send(name, components);
  expect([answer.status, errorOf(answer)["code"], detailsOf(answer)]).toEqual([400, code, details]);
});

test.each<[string, string, unknown[], string]>([
  [
    "phone_number is no sub type",
    "call",
    [button("0", "phone_number", text("a"))],
    "template['components'][0]['sub_type'] must be one of {BOOKING_CONFIRMATION, CATALOG, COPY_CODE, FLOW, MPM, ORDER_DETAILS, QUICK_REPLY, REMINDER, URL, VOICE_CALL}",
  ],
  [
    "no index",
    "replies",
    [{ type: "button", sub_type: "url", parameters: [] }],
    "(#100) The parameter template['components'][0]['index'] is required.",
  ],
  ["an unknown component", "plain", [{ type: "tail" }], "template['components'][0]['type'] must be one of {HEADER, BODY, BUTTON}"],
  [
    "a component twice",
    "two",
    [bodyOf(text("a"), text("b")), bodyOf(text("a"), text("b"))],
    "template['components'][1] repeats a component",
  ],
  ["text that is none", "two", [bodyOf(text("a"), text(7))], "template['components'][0]['parameters'][1]['text'] must be a string."],
])("refused with a path: %s", async (_case, name, components, message) => {
  const answer = await send(name, components);
  expect([answer.status, errorOf(answer)["code"]]).toEqual([400, 100]);
  expect(errorOf(answer)["message"]).toContain(message);
});

test.each<[string, string, unknown[], object]>([
  ["no components for a static template", "plain", [], { text: "Thank you for your order." }],
  ["by number, not by place", "swapped", [bodyOf(text("Ada"), text("10042"))], { body: "Order 10042 is for Ada now." }],
  [
    "upper case types",
    "two",
    [{ type: "BODY", parameters: [text("a"), { type: "TEXT", text: "b" }] }],
    { body: "Hello a, order b is paid." },
  ],
  ["four spaces", "two", [bodyOf(text("a"), text("b    c"))], { body: "Hello a, order b    c is paid." }],
  ["names in any order", "named", [bodyOf(text("7", "order"), text("Ada", "first_name"))], { body: "Hello Ada, order 7 is paid." }],
  [
    "currency and date as their fallback",
    "two",
    [
      bodyOf(
        { type: "currency", currency: { fallback_value: "USD 5", code: "USD", amount_1000: 5000 } },
        { type: "date_time", date_time: { fallback_value: "today" } },
      ),
    ],
    { body: "Hello USD 5, order today is paid." },
  ],
  [
    "an image by link",
    "image",
    [headerOf(image)],
    { header: { format: "IMAGE", link: "https://shop.example/a.png" }, text: "[IMAGE] https://shop.example/a.png\n\nIt is here." },
  ],
  [
    "a document by id",
    "document",
    [headerOf({ type: "document", document: { id: "77", filename: "a.pdf" } })],
    { header: { format: "DOCUMENT", id: "77", filename: "a.pdf" } },
  ],
  [
    "a location",
    "location",
    [headerOf({ type: "location", location: { latitude: "1", longitude: "2", name: "Shop", address: "Street 1" } })],
    { header: { format: "LOCATION", name: "Shop" } },
  ],
  [
    "an index as a number",
    "replies",
    [button(2, "URL", text("a?b=%20c"))],
    { buttons: [{}, {}, { url: "https://shop.example/a?b=%20c" }] },
  ],
  [
    "a payload",
    "replies",
    [button("1", "quick_reply", { type: "payload", payload: "no" }), button("2", "url", text("a"))],
    { buttons: [{ payload: "Yes" }, { payload: "no" }, {}] },
  ],
  [
    "a code",
    "coupon",
    [button("0", "copy_code", { type: "coupon_code", coupon_code: "SAVE20" })],
    { buttons: [{ type: "COPY_CODE", code: "SAVE20" }] },
  ],
])("taken: %s", async (_case, name, components, shown) => {
  const answer = await send(name, components);
  expect(answer.text).toContain('"message_status":"accepted"');
  const inbox = await sandbox.call("GET", "/_sandbox/messages?limit=1", undefined, null);
  expect(inbox.json).toMatchObject([{ template: name, ...shown }]);
});

test("1024 characters, however many bytes they have, fit a body", async () => {
  const answer = await send("two", [bodyOf(text("a"), text("😀".repeat(1024 - "Hello a, order  is paid.".length)))]);
  expect(answer.status).toBe(200);
});
