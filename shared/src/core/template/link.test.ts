import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hostileText } from "../../../../test/support/arbitrary/json.ts";
import { data } from "../../../../test/support/data.ts";
import { isBehindHost, linkPart, misfit } from "./link.ts";
import { cleanText } from "./message.ts";

const clean = (value: string, fixed: string): string => linkPart(cleanText(value), fixed);
const slot = (fixed: string, rest = "") => ({ index: 0, fixed, rest });

describe("the variable part of a link", () => {
  const fixed = "https://shop.example/t/";

  test.each([
    ["77", "77"],
    ["https://shop.example/t/77?k=a&b=c#d", "77?k=a&b=c#d"],
    [" https://shop.example/t/77 ", "77"],
    ["HTTPS://Shop.Example/t/77", "77"],
    ["https://shop.example/T/77", "https://shop.example/T/77"],
    ["https://shop.example/t/https://shop.example/t/77", "https://shop.example/t/77"],
    ["https://other.example/77", "https://other.example/77"],
    ["/77", "77"],
    ["//evil.example", "evil.example"],
    ["a b", "a%20b"],
    ["Größe", "Gr%C3%B6%C3%9Fe"],
    ["😀", "%F0%9F%98%80"],
    ["a%20b", "a%20b"],
    ["100%", "100%25"],
    ["%zz%C3", "%25zz%C3"],
    ["%4g%", "%254g%25"],
    ['a"<>\\^`{}[]|b', "a%22%3C%3E%5C%5E%60%7B%7D%5B%5D%7Cb"],
    ["a-._~:/?#@!$&'()*+,;=b", "a-._~:/?#@!$&'()*+,;=b"],
    ["a\nb", "a%20%7C%20b"],
    ["\ud800", "%EF%BF%BD"],
    [fixed, ""],
    [" ", ""],
  ])("%j is sent as %j", (value, sent) => {
    expect(clean(value, fixed)).toBe(sent);
  });

  test.each(data<[string, string, string][]>("core-template-link", "behind is sent as"))(
    "behind %s %j is sent as %j",
    (before, value, sent) => {
      expect(clean(value, before)).toBe(sent);
    },
  );

  test("never throws, and leaves nothing but legal URL characters", () => {
    fc.assert(
      fc.property(hostileText, fc.constantFrom(fixed, "https://shop.example/?a="), (value, before) => {
        expect(clean(value, before)).toMatch(/^(?:[A-Za-z0-9\-._~:/?#@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$/);
      }),
      { seed: 7, numRuns: 1000 },
    );
  });
});

describe("a link leads where its template says", () => {
  const orders = "https://shop.example/orders/";

  test.each([
    [orders, "7"],
    [orders, "7?a=../b#../c"],
    [orders, "a/../7"],
    [orders, "a/."],
    [orders, "a/.."],
    [orders, "7..8"],
    [orders, "a%2Fb"],
    [orders, "someone@example.com"],
    ["https://shop.example/orders", "/7"],
    ["https://shop.example/a%2Fb/", "7.html"],
    ["https://shop.example/go?to=", "https%3A%2F%2Fother.example"],
    ["https://shop.example/go?to=", "..%2F..%2Fa"],
    ["https://shop.example/", "a/https:7"],
  ])("%s with %s", (fixed, part) => {
    expect(misfit(part, slot(fixed))).toBeNull();
  });

  test.each([
    ["https://shop.example", "@evil.example/a"],
    ["https://shop.example", ".evil.example/"],
    ["https://shop.example", ":99/"],
    ["https://shop.example:8", "0.1/"],
    [orders, "../logout?next=//evil.example"],
    [orders, "%2e%2e/x"],
    [orders, ".%2E/x"],
    [orders, "a/../../x"],
    [orders, ".."],
    [orders, "..%2fx"],
    [orders, "..%5Cx"],
    [orders, "%252e%252e%252fx"],
    [orders, "..;a=b/x"],
    [orders, "..%3Ba/x"],
    ["https://shop.example/orders/.", "./x"],
    ["https://shop.example/or", "/../x"],
    ["nonsense", ".."],
  ])("%s with %s does not", (fixed, part) => {
    expect(misfit(part, slot(fixed))).toBe("leaves");
  });

  test("a whole address stands in a query alone", () => {
    expect(misfit("https://other.example/7", slot(orders))).toBe("address");
  });

  test("whatever a value holds, what fits stays at the host and below the path", () => {
    const pieces = fc.array(
      fc.constantFrom("..", ".", "/", "\\", "%2e", "%2F", "%5c", "%25", "@", ":", ";", "?", "#", "a", "evil.example"),
      {
        maxLength: 8,
      },
    );
    fc.assert(
      fc.property(
        fc.oneof(
          pieces.map((all) => all.join("")),
          hostileText,
        ),
        fc.constantFrom(orders, "https://shop.example/o"),
        (value, fixed) => {
          const part = clean(value, fixed);
          if (misfit(part, slot(fixed)) !== null) return;
          const { origin, pathname, username } = new URL(`${fixed}${part}`);
          expect([origin, username, pathname.startsWith(new URL(fixed).pathname)]).toEqual(["https://shop.example", "", true]);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

test.each(data<[string, boolean][]>("core-template-link", "a variable behind cannot change"))(
  "a variable behind %j cannot change the host: %s",
  (fixed, is) => expect(isBehindHost(fixed)).toBe(is),
);
