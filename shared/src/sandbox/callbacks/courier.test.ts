import { describe, expect, test } from "vitest";
import { signBody } from "../../secrets/signature.ts";
import { escapedJson } from "./courier.ts";

describe("the platform's test vectors for the key test_app_secret", () => {
  const empty = { object: "whatsapp_business_account", entry: [] };

  test.each([
    [escapedJson(empty), "dec6a680679a968e7e0319355b23599cbfc54502c0784668e9618baa0c633756"],
    [escapedJson({ ...empty, note: "café" }), "9ff1e6dcb641e8638dde960b0bcadf4878a195a261b66eaa3242bcd987733b49"],
    [JSON.stringify({ ...empty, note: "café" }), "4690021638259fdf881ed3254b375abf8210aa6e1950c7ec7027503e4c2f704d"],
  ])("%s", (body, hex) => {
    expect(signBody("test_app_secret", Buffer.from(body))).toBe(`sha256=${hex}`);
  });
});

test("escapes what is not ASCII, in lower-case hex, and slashes; JSON stays what it was", () => {
  const value = { text: 'é😀/"\\\ud800', url: "https://a.example/b" };
  const written = escapedJson(value);
  expect(written).toBe('{"text":"\\u00e9\\ud83d\\ude00\\/\\"\\\\\\ud800","url":"https:\\/\\/a.example\\/b"}');
  expect(JSON.parse(written)).toEqual(value);
});
