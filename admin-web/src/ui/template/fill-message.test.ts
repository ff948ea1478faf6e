import type { TemplateDefinition } from "shared/core/template/definition";
import { cleanSlots, renderText } from "shared/core/template/message";
import { expect, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { fillMessage, type Message } from "./fill-message.ts";

const template = data<TemplateDefinition>("admin-web-ui-fill-message", "template");

const whyEmpty = ({ mapKey }: { mapKey: string }, name: string) => `${mapKey} ${name}`;

test("values stand in their slots, in each place that the template gives them", () => {
  const message = fillMessage(template, { header: ["7"], body: ["Ada", "A-7"], buttonUrl: ["x"] }, whyEmpty);
  expect(message).toEqual(data("admin-web-ui-fill-message", "values stand in their slots, in each place that the template"));
});

test("an empty slot says its name and why", () => {
  const { header, body, buttons } = fillMessage(template, { header: [], body: ["", "A-7"], buttonUrl: [""] }, whyEmpty);
  expect(header?.text).toContainEqual({ slot: "{{1}}", reason: "header 1" });
  expect(body).toEqual(data("admin-web-ui-fill-message", "an empty slot says its name and why"));
  expect(buttons[2]).toEqual({ text: "Track", empty: { slot: "link missing", reason: "button_url 1" } });
});

test("named slots are filled by their place", () => {
  const named: TemplateDefinition = { ...template, parameterFormat: "NAMED", header: null, body: "{{order_no}} for {{name}}" };
  expect(fillMessage(named, { header: [], body: ["7", ""], buttonUrl: [] }, whyEmpty)).toMatchObject({
    header: null,
    body: ["", "7", " for ", { slot: "{{name}}", reason: "body name" }, ""],
  });
});

test.each([
  [
    { format: "IMAGE", url: "https://cdn.example/a.png" },
    { format: "IMAGE", link: "https://cdn.example/a.png" },
  ],
  [{ format: "OTHER", type: "LOCATION" }, { format: "LOCATION" }],
] as const)("a header %j is shown as %j", (header, shown) => {
  expect(fillMessage({ ...template, header }, { header: [], body: [], buttonUrl: [] }, whyEmpty).header).toEqual(shown);
});

test.each(
  data<[{ header: string[]; body: string[]; buttonUrl: string[] }][]>("admin-web-ui-fill-message", "the bubble says what is sent j"),
)("the bubble says what is sent: %j", (mapped) => {
  const sent = cleanSlots(template, mapped);
  const { header, body, buttons } = fillMessage(template, sent, whyEmpty);
  const { url = "https://shop.example/t/{{1}}" } = buttons[2] ?? {};
  const rest = `Bean & Leaf\n\n[Thanks]\n[Shop] https://shop.example\n[Track] ${String(url)}\n[Call] +14155550123`;
  expect(`${textOf(header?.text)}\n\n${textOf(body)}\n\n${rest}`).toBe(renderText(template, sent));
});

const textOf = (text: Message["body"] | undefined): string =>
  typeof text === "object" ? text.map((piece) => (typeof piece === "string" ? piece : piece.slot)).join("") : (text ?? "");
