import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isE164 } from "../../core/phone.ts";
import { errorTexts } from "../graph-error.ts";
import { behaviours, lateFailures, magicPrefix, magicNumbers } from "./magic-numbers.ts";

test("every number is E.164 and no code shares one with another", () => {
  for (const digits of magicNumbers.keys()) expect(isE164(`+${digits}`)).toBe(true);
  expect(magicNumbers.size).toBe(Object.keys(behaviours).length + Object.keys(errorTexts).length);
});

test("the codes that come late have a text", () => {
  for (const code of lateFailures) expect(errorTexts[code]).toBeDefined();
});

test("the documentation names every number, in these words", () => {
  const guide = readFileSync(new URL("../../docs/sandbox.md", import.meta.url), "utf8");
  for (const [suffix, { meaning }] of Object.entries(behaviours)) expect(guide).toContain(`| \`+${magicPrefix}${suffix}\` | ${meaning} |`);
  const codes = Array.from(magicNumbers).filter(([digits]) => !(digits.slice(-4) in behaviours));
  for (const [digits, { code }] of codes) expect(guide).toContain(`| \`+${digits}\` | ${code} |`);
});
