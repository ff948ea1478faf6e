import { expect, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { bindingProblems } from "../binding.ts";
import type { TemplateDefinition } from "./definition.ts";
import { movedSlots, shapeOf } from "./shape.ts";

const definition = (body: string, header: string | null = null): TemplateDefinition => ({
  parameterFormat: "POSITIONAL",
  header: header === null ? null : { format: "TEXT", text: header },
  body,
  footer: null,
  buttons: [],
  examples: { header: [], body: [], buttonUrl: [] },
});
const moved = (before: string, now: string) =>
  movedSlots(shapeOf(definition(before)).words?.body ?? [], shapeOf(definition(now)).words?.body ?? []).map((slot) => slot + 1);

const told = "Hi {{1}}, your order {{2}} is on its way.";
test.each([
  [told, "Order {{1}} of {{2}} is on its way.", [1]],
  [told, "Hi {{2}}, your order {{1}} is on its way.", [1, 2]],
  ["Dear {{1}}, your parcel for {{2}} left.", "Order {{1}} of {{2}} arrives today.", [1, 2]],
  [told, "Hello {{1}}! Your order {{2}} ships today.", []],
  [told, "{{1}}, order {{2}} is packed.", []],
  [told, told, []],
  ["Hi {{1}}, thanks.", "Order {{1}} is paid.", [1]],
  ["Hi {{1}}, your order is paid.", "Hi, your order {{1}} is paid.", [1]],
  ["Hi {{1}}, thanks.", "Hello {{1}}, thanks a lot.", []],
  ["Order {{1}}", "Dear {{1}}", [1]],
  ["مرحبا {{1}}، طلبك {{2}} في الطريق.", "طلبك {{1}} يا {{2}} في الطريق.", [1]],
])("%s → %s", (before, now, slots) => expect(moved(before, now)).toEqual(slots));

test("a binding whose template's variables have moved does not send until it is saved again", () => {
  const spec = { source: "static", value: "x" } as const;
  const map = { body: { "1": spec, "2": spec } };
  const now = definition("Order {{1}} of {{2}} is on its way.");
  expect(bindingProblems(map, now, "approved", shapeOf(definition(told)))).toEqual(
    data("core-template-shape", "a binding whose template's variables have moved does not sen"),
  );
  expect(bindingProblems(map, now, "approved", shapeOf(now))).toEqual([]);
  // What was saved before the words were noted.
  expect(bindingProblems(map, now, "approved", { header: [], body: ["1", "2"], buttonUrl: [] })).toEqual([]);
});
