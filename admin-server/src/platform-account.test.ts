import { expect, test } from "vitest";
import { data } from "../../test/support/data.ts";
import { secretHint } from "./platform-account.ts";

test.each(data<[string, string][]>("admin-server-platform-account", "j is hinted at by j"))("%j is hinted at by %j", (secret, hint) => {
  expect(secretHint(secret)).toBe(hint);
});
