import { expect, test } from "vitest";
import { shown } from "./letters.ts";

test.each([
  ["Bean & Leaf", "Bean & Leaf"],
  ["A. Smith & Co.", "A. Smith & Co."],
  ["Café 24", "Café 24"],
  ["verify at https://evil.example/login", "verify at https evil example login"],
  ["evil.example", "evil example"],
  ["www.evil。example", "www evil example"],
  ["evil．example／login", "evil example login"],
  ["mail help@evil.example", "mail help evil example"],
  ["call +49 170 1234567 now", "call +… now"],
  ["a\u202Eb\r\nBcc: x", "a b Bcc x"],
])("the name %j is shown as %j", (name, text) => {
  expect(shown(name)).toBe(text);
});
