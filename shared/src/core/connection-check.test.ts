import { expect, test } from "vitest";
import { connectionChecks, describeFailedCheck, readFailedCheck } from "./connection-check.ts";

test.each(connectionChecks)("a failed check of the %s is read back from its words", (check) => {
  const reason = "It failed. Look\nagain.";
  expect(readFailedCheck(describeFailedCheck(check, reason))).toEqual({ check, reason });
});

test.each(["", "No platform account is connected", "Check of the moon failed. Look again."])("%j names none", (error) => {
  expect(readFailedCheck(error)).toBeNull();
});
