import { expect, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { presetOf } from "./date-range.tsx";

const now = new Date(2026, 10, 23, 12);

test.each(data<[object, string][]>("admin-web-ui-date-range", "is"))("%j is %s", (range, preset) => {
  expect(presetOf(range, now) ?? "none").toBe(preset);
});
