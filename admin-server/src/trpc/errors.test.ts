import { TRPCError, type TRPCDefaultErrorShape } from "@trpc/server";
import { expect, test, it, describe } from "vitest";
import { z } from "zod";
import { translateError, formatError } from "./errors.ts";

describe("translate error", () => {
  test("a database that is away asks the caller to come back", () => {
    const cause = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    const translated = translateError(new TRPCError({ code: "INTERNAL_SERVER_ERROR", cause }));
    expect(translated).toMatchObject({ code: "SERVICE_UNAVAILABLE", message: expect.stringContaining("try again") });
  });

  test("what nobody foresaw stays as it is", () => {
    const error = new TRPCError({ code: "INTERNAL_SERVER_ERROR", cause: new Error("odd") });
    expect(translateError(error)).toBe(error);
  });
});

describe("format error", () => {
  const shape: TRPCDefaultErrorShape = { message: "raw", code: -32600, data: { code: "BAD_REQUEST", httpStatus: 400 } };

  it.each([
    [["limit"], "Too small", "limit: Too small"],
    [["examples", "body"], "examples.body: must be empty", "examples.body: must be empty"],
    [["variableMap", "body", "3"], "body.3: the template has no body slot", "body.3: the template has no body slot"],
    [["accountName"], "Name: must be short", "accountName: Name: must be short"],
    [["url"], ": odd", "url: : odd"],
    [[], "Must be an object", "Must be an object"],
  ])("an issue at %j that says %j is told with its place once", (path, message, told) => {
    const cause = new z.ZodRealError([{ code: "custom", path, message, input: undefined }]);
    const { message: whole, data } = formatError({ shape, error: new TRPCError({ code: "BAD_REQUEST", cause }) });
    expect([whole, data.issues]).toEqual([told, [{ path, code: "custom", message }]]);
  });
});
