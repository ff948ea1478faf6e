import { expect, test } from "vitest";
import { languageProblem } from "./languages.ts";

test.each([
  ["no", "nb"],
  ["nn", "nb"],
  ["pt", "pt_BR or pt_PT"],
  ["zh", "zh_CN, zh_HK or zh_TW"],
  ["iw", "he"],
  ["be", "be_BY"],
  ["EN-us", "en_US"],
  ["zh_tw", "zh_TW"],
])("%s is to be written as %s", (code, instead) => {
  expect(languageProblem(code)).toBe(`is no language code of the platform; write ${instead}`);
});

test.each(["", "xx", "en_DE", "toString"])("for %j there is nothing else to write", (code) => {
  expect(languageProblem(code)).toBe("is no language code of the platform");
});
