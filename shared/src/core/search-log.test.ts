import { expect, test } from "vitest";
import { readLogSearch } from "./search-log.ts";

test.each([
  ["019AA000-0000-7000-8000-0000000000AA", { anyId: "019aa000-0000-7000-8000-0000000000aa" }],
  ["+491701234567", { phone: "+491701234567" }],
  ["491701234567", { phone: "+491701234567" }],
  ["0049 (170) 123-45.67", { phone: "+491701234567" }],
  ["wamid.HBgMNDkxNzAxMjM0NTY3", { waMessageId: "wamid.HBgMNDkxNzAxMjM0NTY3" }],
  [" +49 170 1234567 ", { phone: "+491701234567" }],
  ["49170+1234567", { waMessageId: "49170+1234567" }],
  ["10042", { waMessageId: "10042" }],
  ["+", { waMessageId: "+" }],
])("%s", (text, expected) => {
  expect(readLogSearch(text)).toEqual(expected);
});
