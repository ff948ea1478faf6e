import { TRPCError } from "@trpc/server";
import { expect, test } from "vitest";
import { translateError } from "./translate-error.ts";

test("a database that is away asks the caller to come back", () => {
  const cause = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
  const translated = translateError(new TRPCError({ code: "INTERNAL_SERVER_ERROR", cause }));
  expect(translated).toMatchObject({ code: "SERVICE_UNAVAILABLE", message: expect.stringContaining("try again") });
});

test("what nobody foresaw stays as it is", () => {
  const error = new TRPCError({ code: "INTERNAL_SERVER_ERROR", cause: new Error("odd") });
  expect(translateError(error)).toBe(error);
});
