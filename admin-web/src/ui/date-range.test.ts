import { expect, test } from "vitest";
import { presetOf } from "./date-range.tsx";

const now = new Date(2026, 10, 23, 12);

test.each([
  [{}, "any"],
  [{ from: "2026-11-23", to: "2026-11-23" }, "today"],
  [{ from: "2026-11-23" }, "today"],
  [{ from: "2026-11-22", to: "2026-11-22" }, "yesterday"],
  [{ from: "2026-11-17", to: "2026-11-23" }, "week"],
  [{ from: "2026-10-25" }, "month"],
  [{ from: "2026-11-22" }, "custom"],
  [{ to: "2026-11-23" }, "custom"],
  [{ from: "2026-11-23T08:00:00Z" }, "custom"],
])("%j is %s", (range, preset) => {
  expect(presetOf(range, now)).toBe(preset);
});
