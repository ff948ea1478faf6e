import { expect, test } from "vitest";
import { translated } from "../../language.ts";
import { timeZoneChoices } from "./labels.ts";

test("UTC comes first, the stored zone is never missing, and each stands there once, as people would type it", () => {
  const values = timeZoneChoices("Asia/Calcutta").map(({ value }) => value);
  expect(values.slice(0, 2)).toEqual(["UTC", "Asia/Calcutta"]);
  expect(values).toContain("Europe/Berlin");
  expect(new Set(values).size).toBe(values.length);
  expect(timeZoneChoices("UTC")).toContainEqual({ value: "America/New_York", label: "America/New York" });
});

test("a text that no catalogue has gets its values", () => expect(translated("Cancel {what}?", { what: "it" })).toBe("Cancel it?"));
