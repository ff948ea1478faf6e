import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { insertNotifications } from "../../../test/support/gateway/insert-notification.ts";
import { type Callbacks, envelope, openCallbacks } from "../../../test/support/gateway/open-callbacks.ts";

let at: Callbacks;
beforeAll(async () => {
  at = await openCallbacks();
});
afterAll(async () => at?.[Symbol.asyncDispose]());

const ok: [number, string] = [200, '{"ok":true}'];

describe("odd content", () => {
  const statusOfPost = async (body: string | Uint8Array): Promise<number> => (await at.post(body))[0];

  it("that is no JSON is 400", async () => {
    for (const body of ["", "{", "\ufeff{}", randomBytes(40), "a=b"])
      expect(await at.post(body)).toEqual([400, '{"error":"Malformed JSON"}']);
  });

  it("that nests deeper than any stack is fine", async () => {
    expect(await at.post(`${'{"entry":['.repeat(200_000)}${"]}".repeat(200_000)}`)).toEqual(ok);
    expect(await at.post("[".repeat(1_000_000) + "]".repeat(1_000_000))).toEqual(ok);
  });

  it("of any JSON at all is 200", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 6 }), async (value) => {
        expect(await statusOfPost(JSON.stringify(value))).toBe(200);
      }),
      { numRuns: 150 },
    );
  });

  it("in the places where updates stand is 200", async () => {
    const [row] = await insertNotifications(at.database.sql, at.shop, [{ status: "sending" }]);
    const odd = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom<unknown>(
        "\0",
        "\ud800",
        "wamid.\0x",
        "w".repeat(5_000),
        -1,
        1e300,
        "99999999999999999999",
        "1e400",
        row?.reference,
        "read",
        "failed",
        "sent",
        "1790000000",
        "-1",
      ),
    );
    const status = fc.record(
      { id: odd, status: odd, timestamp: odd, biz_opaque_callback_data: odd, recipient_id: odd, errors: odd },
      { requiredKeys: [] },
    );
    const likely = fc.record({
      id: fc.oneof(fc.constant("wamid.1"), odd),
      status: fc.constantFrom("sent", "delivered", "read", "failed", "played"),
      timestamp: odd,
      biz_opaque_callback_data: fc.oneof(fc.constant(row?.reference), odd),
      errors: fc.array(fc.record({ code: odd, title: odd, message: odd, error_data: odd })),
    });
    const template = fc.record({
      event: odd,
      message_template_id: odd,
      message_template_name: odd,
      message_template_language: odd,
      reason: odd,
      new_category: odd,
      new_quality_score: odd,
    });
    const value = fc.oneof(fc.record({ statuses: fc.array(fc.oneof(status, likely, odd)) }), template, odd);
    await fc.assert(
      fc.asyncProperty(fc.array(value), async (values) => {
        expect(await statusOfPost(envelope(...values.map((each) => ({ field: "messages", value: each }))))).toBe(200);
      }),
      { numRuns: 300 },
    );
  });
});
