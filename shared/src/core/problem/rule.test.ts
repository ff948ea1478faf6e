import { expect, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { isFailureRateOwn } from "./rule.ts";

test.each(data<[string, number, number[], boolean][]>("core-problem-rule", "a failure rate when s has the failures"))(
  "a failure rate when %s has the failures",
  (_name, failed, counts, isOwn) => {
    expect(isFailureRateOwn(failed, counts)).toBe(isOwn);
  },
);
