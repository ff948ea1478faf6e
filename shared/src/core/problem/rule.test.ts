import { expect, test } from "vitest";
import { isFailureRateOwn, problemOfFailure } from "./rule.ts";

const isAccountCode = (code: string): boolean => ["190", "131042"].includes(code);
const problemOf = (code: string) => {
  const key = problemOfFailure({ code, siteId: "site", templateId: "template", bindingId: "binding" }, isAccountCode);
  return key && [key.kind, key.siteId, key.subject];
};

test.each([
  ["190", ["platform_stopped", null, ""]],
  ["131042", ["platform_stopped", null, ""]],
  ["account_stopped", ["platform_stopped", null, ""]],
  ["template_not_approved", ["template_refused", null, "template"]],
  ["132015", ["template_refused", null, "template"]],
  ["132016", ["template_refused", null, "template"]],
  ["slot_unresolved", ["binding_cannot_send", "site", "binding"]],
  ["too_long", ["binding_cannot_send", "site", "binding"]],
  ["url_not_fitting", ["binding_cannot_send", "site", "binding"]],
  ["131026", ["messages_failed", "site", "131026"]],
  ["template_changed", ["messages_failed", "site", "template_changed"]],
  ["site_disabled", ["messages_failed", "site", "site_disabled"]],
  ["a code that nobody knows", ["messages_failed", "site", "a code that nobody knows"]],
  ["recipient_opted_out", null],
  ["throttled", null],
])("a message that failed with %s is part of %j", (code, problem) => {
  expect(problemOf(code)).toEqual(problem);
});

test.each([
  ["no problem", 10, [], true],
  ["less than half, however many have some", 10, [4, 4, 2], true],
  ["one has half", 10, [5], false],
  ["one has all", 10, [10], false],
])("a failure rate when %s has the failures", (_name, failed, counts, isOwn) => {
  expect(isFailureRateOwn(failed, counts)).toBe(isOwn);
});
