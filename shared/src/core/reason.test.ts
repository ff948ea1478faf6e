import { expect, test } from "vitest";
import { data } from "../../../test/support/data.ts";
import { describeEmptySlot, describeReason, type Reason } from "./reason.ts";
import { english } from "./wording.ts";

const link = { group: "button_url" as const, name: "1" };

test.each(data<[Reason, string, string][]>("core-reason", "cases"))("%j", (reason, api, page) => {
  expect([describeReason(reason), describeReason(reason, english)]).toEqual([api, page]);
});

test("beside its slot an empty one needs only the cause", () => {
  expect(describeEmptySlot({ code: "value_not_mapped", slot: link })).toBe("not filled yet");
  expect(describeEmptySlot({ code: "value_blank", slot: link, from: null })).toBe("the static value is blank");
  expect(describeEmptySlot({ code: "value_missing", slot: link, from: "order.id" })).toBe("order.id is missing");
});
