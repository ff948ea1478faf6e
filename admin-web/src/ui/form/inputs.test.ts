import { expect, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { completeUrl, phoneValue, readPhone } from "./inputs.tsx";

test.each(["+491701234567", " +49 170 / 123-45.67 ", "+49 (170) 1234567", "＋491701234567", "+49\u00A0170\u20111234567"])(
  "%j is whole as it is",
  (text) => {
    expect(readPhone(text)).toEqual({ is: "whole", phone: "+491701234567" });
    expect(phoneValue(text)).toBe("+491701234567");
  },
);

test.each(["491701234567", "00491701234567", "00 49 170 1234567", "+49 (0) 170 1234567", "+49 (0)170 1234567", "0049 (0) 170 1234567"])(
  "for %j the number is suggested, and not taken",
  (text) => {
    expect(readPhone(text)).toMatchObject({ is: "near", suggestion: "+491701234567" });
    expect(phoneValue(text)).toBe(text);
  },
);

test.each(data<[string, string][]>("admin-web-ui-inputs", "lacks something"))("%j lacks something: %s", (text, reason) => {
  expect(readPhone(text)).toEqual({ is: "unfinished", reason: expect.stringContaining(reason) });
});

test.each(["", "  ", "()"])("%j is none", (text) => {
  expect(readPhone(text)).toEqual({ is: "empty" });
});

test.each(data<[string, string][]>("admin-web-ui-inputs", "j is completed"))("%j is completed", (text, whole) => {
  expect(completeUrl(text)).toBe(whole);
  expect(completeUrl(whole)).toBe(whole);
});

test.each(["", "shop", "http://shop.example", "mailto:ann@shop.example", "localhost:3000", "/orders", "1.5 kg", "{{1}}.example"])(
  "%j stays as it is",
  (text) => expect(completeUrl(text)).toBe(text),
);
