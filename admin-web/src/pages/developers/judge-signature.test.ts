import { createHash, createHmac } from "node:crypto";
import { signBody, signStandard } from "shared/secrets/signature";
import { expect, test, describe } from "vitest";
import { expectedSignature, hmac, judgeSignature, judgeTimestamp } from "./judge-signature.ts";

describe("judge signature", () => {
  const secret = "whs_test";
  const body = '{"name":"Zo\u00EB","url":"https://a.example/b"}';
  const timestamp = "1795197134";
  const bytes = (text: string) => new TextEncoder().encode(text);
  const sign = (text: string, key = secret) => signBody(key, bytes(text));
  const digest = sign(body).slice(7);
  const base64 = Buffer.from(digest, "hex").toString("base64");

  async function judge(header: string, changes: { body?: string; secret?: string } = {}) {
    const pasted = { body, secret, header, timestamp, id: "", ...changes };
    return judgeSignature(pasted, await expectedSignature(pasted));
  }

  test("the signature is that which the servers make", async () => {
    for (const text of ["", body, "\u{1F600}\r\n"]) expect(`sha256=${await hmac(secret, text)}`).toBe(sign(text));
    expect(await judge(sign(body))).toEqual({ is: "valid" });
    expect(await judge(`X-Service-Signature: ${sign(body)}\n`)).toEqual({ is: "valid" });
  });

  test.each<[string, string, RegExp]>([
    ["blanks", ` ${sign(body)}`, /white space/u],
    ["no prefix", digest, /sha256= before the digits is missing/u],
    ["another prefix", `SHA256=${digest}`, /instead of sha256=/u],
    ["capitals", `sha256=${digest.toUpperCase()}`, /lowercase/u],
    ["base64", `sha256=${base64}`, /base64/u],
    ["one cut off", sign(body).slice(0, -4), /60 hex digits/u],
  ])("a right digest, but %s", async (_name, header, fault) => {
    expect(await judge(header)).toEqual({ is: "invalid", faults: [expect.stringMatching(fault)] });
  });

  test.each<[string, string, RegExp]>([
    ["with a newline", sign(`${body}\n`), /with a newline at its end/u],
    ["with a byte order mark", sign(`\uFEFF${body}`), /byte order mark/u],
    ["with its timestamp", sign(`${timestamp}.${body}`), /timestamp, a dot/u],
    ["of nothing", sign(""), /empty body/u],
    ["as Python writes it", sign(String.raw`{"name": "Zo\u00eb", "url": "https://a.example/b"}`), /in a different form/u],
    ["as PHP writes it", sign(body.replaceAll("/", String.raw`\/`)), /in a different form/u],
    ["indented", sign(JSON.stringify(JSON.parse(body), null, 2)), /in a different form/u],
    ["by a secret with a newline", sign(body, `${secret}\n`), /newline at its end, as when/u],
    ["by a secret without its prefix", sign(body, "test"), /lacks whs_/u],
    ["by a quoted secret", sign(body, `"${secret}"`), /quotes/u],
    ["without a secret", `sha256=${createHash("sha256").update(body).digest("hex")}`, /plain SHA-256/u],
    ["with key and body swapped", sign(secret, body), /swapped/u],
    ["by another secret", sign(body, "whs_other"), /different secret/iu],
  ])("a digest %s", async (_name, header, fault) => {
    expect(await judge(header)).toEqual({ is: "invalid", faults: [expect.stringMatching(fault)] });
  });

  describe("of Standard Webhooks", () => {
    const id = "order-1";
    const signText = (text: string, key: string | Buffer = secret) => `v1,${createHmac("sha256", key).update(text).digest("base64")}`;
    // The servers take a secret in the form of Standard Webhooks as its text's bytes in base64.
    const standardSecret = `whsec_${Buffer.from("whs_0123456789abcdefghijklmnopqrstuv").toString("base64")}`;
    const asSent = signText(`${id}.${timestamp}.${body}`);
    const judgeSent = async (header: string, changes: Partial<Parameters<typeof judgeSignature>[0]> = {}) => {
      const pasted = { body, secret, header, id, timestamp, ...changes };
      return judgeSignature(pasted, await expectedSignature(pasted));
    };

    test("is that which the servers make, alone, among others, and with its name", async () => {
      for (const header of [asSent, `v1,${"A".repeat(43)}= ${asSent}`, `webhook-signature: ${asSent}`])
        expect(await judgeSent(header)).toEqual({ is: "valid" });
      const outbound = signStandard(standardSecret, { id, timestamp }, bytes(body));
      expect(await judgeSent(outbound, { secret: standardSecret })).toEqual({ is: "valid" });
      expect(await judgeSent(outbound, { secret: "whs_0123456789abcdefghijklmnopqrstuv" })).toEqual({ is: "valid" });
    });

    test.each<[string, string, RegExp, object?]>([
      ["without v1,", asSent.slice(3), /v1, before the signature is missing/u],
      ["in hex", `v1,${Buffer.from(asSent.slice(3), "base64").toString("hex")}`, /This is hex/u],
      ["without its =", asSent.slice(0, -1), /without its =/u],
      ["of the body alone", signText(body), /Only the body was signed/u],
      ["without the id", signText(`${timestamp}.${body}`), /id was not signed/u],
      ["without dots", signText(id + timestamp + body), /without dots/u],
      ["of a body with a newline", signText(`${id}.${timestamp}.${body}\n`), /newline at its end/u],
      ["by a decoded secret", signText(`${id}.${timestamp}.${body}`, Buffer.from("test", "base64")), /decoded as base64/u],
      ["by a secret in quotes", signText(`${id}.${timestamp}.${body}`, `"${secret}"`), /quotes/u],
      ["by another", signText(`${id}.${timestamp}.${body}`, "whs_other"), /different secret/iu],
      ["whose id is not pasted", asSent, /webhook-id is missing.*401 Missing webhook-id/u, { id: "" }],
      ["whose time is not pasted", asSent, /webhook-timestamp is missing/u, { timestamp: " " }],
    ])("%s is no good, and the reason is told", async (_name, header, fault, changes = {}) => {
      expect(await judgeSent(header, changes)).toEqual({ is: "invalid", faults: [expect.stringMatching(fault)] });
    });
  });

  test("what is pasted wrongly is said too", async () => {
    expect(await judge(sign(body), { body: `${body}\n` })).toMatchObject({ faults: [expect.stringMatching(/without the newline/u)] });
    expect(await judge(sign(body), { secret: ` ${secret}` })).toMatchObject({ faults: [expect.stringMatching(/white space around it/u)] });
    expect(await judge(sign(body), { secret: "sk_live_1" })).toMatchObject({ faults: [expect.stringMatching(/API key/u)] });
    const sha1 = `sha1=${createHmac("sha1", secret).update(body).digest("hex")}`;
    expect(await judge(sha1)).toMatchObject({
      faults: [expect.stringMatching(/^It begins with sha1=/u), expect.stringMatching(/SHA-1/u), expect.any(String)],
    });
    expect(await judge("nonsense")).toMatchObject({
      faults: [expect.any(String), expect.stringMatching(/not a digest/u), expect.any(String)],
    });
  });
});

describe("judge timestamp", () => {
  const now = 1_795_197_134_000;

  test.each(["1795197134", "1795196834", "1795197434"])("%s is near enough", (timestamp) => {
    expect(judgeTimestamp(timestamp, now)).toBeUndefined();
  });

  test.each([
    ["1795196833", /5 minutes old/u],
    ["1795204434", /2 hours ahead/u],
    ["1795000000", /2 days old/u],
    ["1795197134000", /milliseconds/u],
    ["2026-11-20", /whole number/u],
    ["", /whole number/u],
  ])("of %j is said %s", (timestamp, fault) => {
    expect(judgeTimestamp(timestamp, now)).toMatch(fault);
  });
});
