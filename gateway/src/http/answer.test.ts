import { readDocsBundle } from "shared/docs/bundle";
import { describe, expect, it } from "vitest";
import { documentedRefusals } from "../../../test/support/documented-refusals.ts";
import { RequestRefused, type RefusalName } from "../refusal.ts";
import { errorResponse } from "./answer.ts";

describe("a refusal", () => {
  it.each(Object.entries(documentedRefusals))("%s has its status and its text, and is documented", (name, [status, error]) => {
    const response = errorResponse(new RequestRefused(name as RefusalName));
    expect([response.status, JSON.parse(response.body)]).toEqual([status, { error }]);
    const row = readDocsBundle()
      .split("\n")
      .find((line) => line.startsWith(`| ${status} |`) && line.includes(`\`${error}\``));
    expect(row).toBeDefined();
  });

  it("says when to come back exactly if it passes by itself", () => {
    for (const [name, [status]] of Object.entries(documentedRefusals)) {
      const wait = errorResponse(new RequestRefused(name as RefusalName)).headers["Retry-After"];
      expect([name, wait === undefined ? "never" : Number(wait) > 0]).toEqual([name, status === 429 || status === 503 ? true : "never"]);
    }
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
