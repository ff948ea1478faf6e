import { expect, test } from "vitest";
import { timeZoneChoices } from "./labels.ts";

test("UTC comes first, the stored zone is never missing, and each stands there once", () => {
  const values = timeZoneChoices("Asia/Calcutta").map(({ value }) => value);
  expect(values.slice(0, 2)).toEqual(["UTC", "Asia/Calcutta"]);
  expect(values).toContain("Europe/Berlin");
  expect(new Set(values).size).toBe(values.length);
});

test("labels are as people would type them", () => {
  expect(timeZoneChoices("UTC")).toContainEqual({ value: "America/New_York", label: "America/New York" });
});
