import { expect, test } from "vitest";
import { phonesFirst } from "./slot-fields.tsx";

test("what held a phone or is called one comes first, else all stays in order", () => {
  const field = (path: string, sample: string | null) => ({
    path,
    type: "string" as const,
    sample,
    lastSeenAt: "2026-01-01T00:00:00.000Z",
  });
  const fields = [field("order.id", "10042"), field("driver", "+491701234567"), field("note", null), field("customer.mobile", "0170 1")];
  expect(phonesFirst(fields).map(({ path }) => path)).toEqual(["driver", "customer.mobile", "order.id", "note"]);
});
