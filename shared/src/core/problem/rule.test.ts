import { expect, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { isFailureRateOwn, problemOfFailure } from "./rule.ts";

const isAccountCode = (code: string): boolean => ["190", "131042"].includes(code);
const problemOf = (code: string) => {
  const key = problemOfFailure({ code, siteId: "site", templateId: "template", bindingId: "binding" }, isAccountCode);
  return key && [key.kind, key.siteId, key.subject];
};

test.each(data<[string, null | (string | null)[]][]>("core-problem-rule", "a message that failed with"))(
  "a message that failed with %s is part of %j",
  (code, problem) => {
    expect(problemOf(code)).toEqual(problem);
  },
);

test.each(data<[string, number, number[], boolean][]>("core-problem-rule", "a failure rate when s has the failures"))(
  "a failure rate when %s has the failures",
  (_name, failed, counts, isOwn) => {
    expect(isFailureRateOwn(failed, counts)).toBe(isOwn);
  },
);
