import { judgePassword } from "shared/core/password";
import { expect, it } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { adviceOn } from "./password-strength.tsx";

it.each(data<[string, string][]>("admin-web-ui-password-strength", ":"))("%s: %s", (password, advice) => {
  expect(adviceOn(password, judgePassword(password, ["ann@example.com", "Ann Example"]))).toBe(advice);
});
