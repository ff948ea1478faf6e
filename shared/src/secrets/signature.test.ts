import fc from "fast-check";
import { expect, test, describe } from "vitest";
import { findBase64Signer, findSigner, makeWebhookSecret, signBody, verifyBody, webhookSecretHint } from "./signature.ts";

describe("webhook secret", () => {
  test("a secret is the prefix and forty letters and digits, and differs each time", () => {
    const secrets = Array.from({ length: 50 }, makeWebhookSecret);
    for (const secret of secrets) expect(secret).toMatch(/^whs_[0-9A-Za-z]{40}$/);
    expect(new Set(secrets).size).toBe(50);
  });

  test("the hint gives away four characters", () => {
    expect(webhookSecretHint("whs_0123456789")).toBe("whs_…6789");
  });
});

describe("verify", () => {
  const secret = "test_app_secret";
  const bytes = (text: string) => Buffer.from(text, "utf8");

  /** Made with `openssl dgst -sha256 -hmac test_app_secret`. */
  const vectors = [
    ['{"object":"whatsapp_business_account","entry":[]}', "dec6a680679a968e7e0319355b23599cbfc54502c0784668e9618baa0c633756"],
    [
      String.raw`{"object":"whatsapp_business_account","entry":[],"note":"caf\u00e9"}`,
      "9ff1e6dcb641e8638dde960b0bcadf4878a195a261b66eaa3242bcd987733b49",
    ],
    ['{"object":"whatsapp_business_account","entry":[],"note":"café"}', "4690021638259fdf881ed3254b375abf8210aa6e1950c7ec7027503e4c2f704d"],
  ] as const;

  test.each(vectors)("signs the bytes of %s", (body, hex) => {
    expect(signBody(secret, bytes(body))).toBe(`sha256=${hex}`);
    expect(verifyBody([secret], bytes(body), `sha256=${hex}`)).toBe(true);
  });

  test("the same JSON written otherwise does not verify", () => {
    const [escaped, literal] = [vectors[1], vectors[2]];
    expect(JSON.parse(escaped[0])).toEqual(JSON.parse(literal[0]));
    expect(verifyBody([secret], bytes(literal[0]), `sha256=${escaped[1]}`)).toBe(false);
  });

  const good = signBody(secret, bytes("{}"));
  const hex = good.slice("sha256=".length);

  test.each([
    ["absent", undefined],
    ["empty", ""],
    ["without its scheme", hex],
    ["of another scheme", `sha1=${hex}`],
    ["with the scheme in capitals", `SHA256=${hex}`],
    ["with capital digits", `sha256=${hex.toUpperCase()}`],
    ["one digit short", good.slice(0, -1)],
    ["one digit long", `${good}0`],
    ["with a space before", ` ${good}`],
    ["with a space after", `${good} `],
    ["with a line break after", `${good}\n`],
    ["twice", `${good}, ${good}`],
    ["of other letters", `sha256=${"g".repeat(64)}`],
    ["of letters that take more bytes", `sha256=${"é".repeat(64)}`],
  ])("a header %s is refused", (_, header) => {
    expect(verifyBody([secret], bytes("{}"), good)).toBe(true);
    expect(verifyBody([secret], bytes("{}"), header)).toBe(false);
  });

  test("any of several secrets verifies, no secret and the empty secret never do", () => {
    expect(verifyBody(["another", secret], bytes("{}"), good)).toBe(true);
    expect(verifyBody(["another"], bytes("{}"), good)).toBe(false);
    expect(verifyBody([], bytes("{}"), good)).toBe(false);
    expect(verifyBody([""], bytes("{}"), signBody("", bytes("{}")))).toBe(false);
  });

  test("the signer is told among several", () => {
    const [one, other] = [
      { secret: "another", id: 1 },
      { secret, id: 2 },
    ];
    expect(findSigner([one, other], bytes("{}"), good)).toBe(other);
    expect(findSigner([one], bytes("{}"), good)).toBeUndefined();
  });

  test("what is signed verifies, and no longer once a byte, the secret or the digest differs", () => {
    // A key beyond 64 bytes is hashed first.
    const key = fc.string({ unit: "grapheme", minLength: 1, maxLength: 150, size: "max" });
    const anything = fc.record({ body: fc.uint8Array({ size: "+1" }), key, at: fc.nat() });
    fc.assert(
      fc.property(anything, ({ body, key, at }) => {
        const header = signBody(key, body);
        expect(verifyBody([key], body, header)).toBe(true);
        expect(verifyBody([`${key}x`], body, header)).toBe(false);
        expect(verifyBody([key], Buffer.concat([body, Buffer.from([0])]), header)).toBe(false);
        const digit = 7 + (at % 64);
        const other = header.charAt(digit) === "0" ? "1" : "0";
        expect(verifyBody([key], body, header.slice(0, digit) + other + header.slice(digit + 1))).toBe(false);
      }),
    );
  });
});

describe("base64", () => {
  const candidates = [{ secret: "" }, { secret: "other" }, { secret: "shpss_hush" }];
  const body = Buffer.from('{"id":1}');
  /** Made with `openssl dgst -sha256 -hmac shpss_hush -binary | base64`. */
  const signature = "mnILoC3BJ65UUj/vlCF8TGB5IGP8rJG3Q2tH0mxUWI0=";

  test("names the secret that signed the bytes", () => {
    expect(findBase64Signer(candidates, body, signature)).toBe(candidates[2]);
    expect(findBase64Signer(candidates.slice(0, 2), body, signature)).toBeUndefined();
    expect(findBase64Signer(candidates, Buffer.from('{"id": 1}'), signature)).toBeUndefined();
  });

  test.each([
    "",
    signature.slice(0, -1),
    ` ${signature}`,
    `${signature}\n`,
    `${signature},${signature}`,
    "=".repeat(44),
    signBody("shpss_hush", body),
  ])("%j is none", (header) => {
    expect(findBase64Signer(candidates, body, header)).toBeUndefined();
  });
});
