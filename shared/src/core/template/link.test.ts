import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "../../../../test/faults/harness/scale.ts";
import { hostileText } from "../../../../test/support/arbitrary/json.ts";
import { data } from "../../../../test/support/data.ts";
import { isBehindHost, linkPart, misfit } from "./link.ts";
import { cleanText } from "./message.ts";

const clean = (value: string, fixed: string): string => linkPart(cleanText(value), fixed);
const slot = (fixed: string, rest = "") => ({ index: 0, fixed, rest });

describe("the variable part of a link", () => {
  const fixed = "https://shop.example/t/";

  test.each(data<[string, string][]>("core-template-link", "is sent as"))("%j is sent as %j", (value, sent) => {
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
      { seed: 7, numRuns: scaled(300, 1_000) },
    );
  });
});

describe("a link leads where its template says", () => {
  const orders = "https://shop.example/orders/";

  test.each(data<[string, string][]>("core-template-link", "with"))("%s with %s", (fixed, part) => {
    expect(misfit(part, slot(fixed))).toBeNull();
  });

  test.each(data<[string, string][]>("core-template-link", "with does not"))("%s with %s does not", (fixed, part) => {
    expect(misfit(part, slot(fixed))).toBe("leaves");
  });

  test("a whole address stands in a query alone", () => {
    expect(misfit("https://other.example/7", slot(orders))).toBe("address");
  });

  test("whatever a value holds, what fits stays at the host and below the path", () => {
    const pieces = fc.array(
      fc.constantFrom("..", ".", "/", "\\", "%2e", "%2F", "%5c", "%25", "@", ":", ";", "?", "#", "a", "evil.example"),
      { maxLength: 8 },
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
      { numRuns: scaled(400, 2_000) },
    );
  });
});

test.each(data<[string, boolean][]>("core-template-link", "a variable behind cannot change"))(
  "a variable behind %j cannot change the host: %s",
  (fixed, is) => expect(isBehindHost(fixed)).toBe(is),
);
