import { readDocsBundle } from "shared/docs/bundle";
import { describe, expect, it } from "vitest";
import { RequestRefused, type RefusalName } from "../refusal.ts";
import { errorResponse } from "./answer.ts";

/** Status and text of each, as clients match on them. */
const expected: Record<RefusalName, [number, string]> = {
  bad_request: [400, "Bad request"],
  malformed_json: [400, "Malformed JSON"],
  not_an_object: [400, "Body must be a JSON object"],
  invalid_event_name: [400, "Invalid event name"],
  invalid_source: [400, "Invalid source"],
  invalid_idempotency_key: [400, "Invalid idempotency key"],
  invalid_mode: [400, "Invalid mode"],
  missing_site_key: [401, "Missing site key"],
  invalid_site_key: [401, "Invalid site key"],
  invalid_signature: [401, "Invalid signature"],
  missing_timestamp: [401, "Missing timestamp"],
  stale_timestamp: [401, "Stale timestamp"],
  site_disabled: [403, "Site is disabled"],
  invalid_verify_token: [403, "Invalid verify token"],
  not_found: [404, "Not found"],
  method_not_allowed: [405, "Method not allowed"],
  request_timeout: [408, "Request timeout"],
  body_too_large: [413, "Body too large"],
  unsupported_content_type: [415, "Unsupported content type"],
  expectation_failed: [417, "Expectation failed"],
  rate_limited: [429, "Rate limit exceeded"],
  headers_too_large: [431, "Headers too large"],
  internal: [500, "Internal error; retry with exponential backoff and the same idempotency key"],
  still_in_progress: [503, "Still in progress"],
  stopping: [503, "Server is stopping"],
  full: [503, "Server is busy"],
  database_away: [503, "Database unavailable"],
};

describe("a refusal", () => {
  it.each(Object.entries(expected))("%s has its status and its text, and is documented", (name, [status, error]) => {
    const response = errorResponse(new RequestRefused(name as RefusalName));
    expect([response.status, JSON.parse(response.body)]).toEqual([status, { error }]);
    const row = readDocsBundle()
      .split("\n")
      .find((line) => line.startsWith(`| ${status} |`) && line.includes(`\`${error}\``));
    expect(row).toBeDefined();
  });

  it("says when to come back exactly if it passes by itself", () => {
    for (const [name, [status]] of Object.entries(expected)) {
      const wait = errorResponse(new RequestRefused(name as RefusalName)).headers["Retry-After"];
      expect([name, wait === undefined ? "never" : Number(wait) > 0]).toEqual([name, status === 429 || status === 503 ? true : "never"]);
    }
    expect(errorResponse(new RequestRefused("still_in_progress", 12.3)).headers["Retry-After"]).toBe("13");
  });
});

describe("any other error", () => {
  const coded = (code: string): Error => Object.assign(new Error("select secret from site"), { code });

  it.each(["ECONNREFUSED", "ECONNRESET", "CONNECTION_CLOSED", "CONNECT_TIMEOUT", "57P01", "57P03", "53300", "08006", "25006", "40P01"])(
    "of a database that is away (%s) is 503",
    (code) => {
      expect(errorResponse(coded(code))).toMatchObject({ status: 503, body: '{"error":"Database unavailable"}', refusal: "database_away" });
    },
  );

  it.each([coded("42P01"), coded("23505"), coded("ERR_ASSERTION"), new TypeError("x is not a function"), "text", null, undefined, 7])(
    "is 500 and says nothing: %s",
    (error) => {
      const response = errorResponse(error);
      expect([response.status, response.refusal]).toEqual([500, "internal"]);
      expect(Object.keys(JSON.parse(response.body) as object)).toEqual(["error"]);
      expect(response.body).not.toMatch(/select|function/);
    },
  );
});
