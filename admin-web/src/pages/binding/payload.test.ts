import { expect, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { fieldsOf, jsonFault } from "./pasted-payload.tsx";
import { eventOption } from "./payload.tsx";

test.each(data<[string, number, number, string][]>("admin-web-pages-binding-payload", "is no json from line"))(
  "%j is no JSON from line %i, column %i on",
  (text, line, column, message) => {
    expect(jsonFault(text)).toEqual({ line, column, message });
  },
);

const good = data<string[]>("admin-web-pages-binding-payload", "good");
const bad = data<string[]>("admin-web-pages-binding-payload", "bad");
const odd = ["1 2", "\u00a01", "\ufeff{}", "NaN", "{a:1}", "//", "[1]]", '{"a":1}}', '{"a":"😀"}', "1.5.2", "0x1", '"\t"'];

test.each([...good, ...bad, ...odd])("%j is JSON just when the parser takes it", (text) => {
  expect(jsonFault(text) === null).toBe(parses(text));
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test("an event is named by its order and its customer, as far as they are known", () => {
  const event = { id: "1", orderNumber: "10042", customer: "Ada", receivedAt: new Date().toISOString(), test: false, dryRun: false };
  expect(eventOption(event as never).label).toMatch(/^10042, Ada, \d+:\d\d/u);
  expect(eventOption({ ...event, orderNumber: null, customer: null, test: true } as never).label).toMatch(/^Event, \d.* \(test\)$/u);
});

test("a pasted event adds the fields that no event of the site had", () => {
  const known = [{ path: "order.id", type: "string", sample: "7", lastSeenAt: "2026-11-20T08:00:00Z" }] as const;
  const added = fieldsOf('{"order":{"id":"8","tracking_number":"JD01"}}', known);
  expect(added.find(({ path }) => path === "order.tracking_number")).toMatchObject({ type: "string", sample: "JD01" });
  expect(added.some(({ path }) => path === "order.id")).toBe(false);
  expect(fieldsOf(null, known)).toEqual([]);
});
