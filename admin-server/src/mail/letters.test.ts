import { expect, test } from "vitest";
import { data } from "../../../test/support/data.ts";
import { shown } from "./letters.ts";

test.each(data<[string, string][]>("admin-server-mail-letters", "the name is shown as"))("the name %j is shown as %j", (name, text) => {
  expect(shown(name)).toBe(text);
});
