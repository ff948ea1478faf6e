import { expect, test } from "vitest";
import { Refusal } from "../refusal.ts";
import { header } from "./event.ts";

test("a header that is empty is absent, and one that came twice is one text", () => {
  const headers = { "x-service-mode": "", "x-service-source": "shop", "set-cookie": ["a", "b"] };
  expect(["x-service-mode", "x-service-key", "x-service-source", "set-cookie"].map((name) => header(headers, name))).toEqual([
    null,
    null,
    "shop",
    "a, b",
  ]);
});

test("a refusal is told from other errors by its name", () => {
  const refusal = new Refusal("full", 3, { cause: "busy" });
  expect(refusal).toMatchObject({ name: "Refusal", message: "full", refusal: "full", retryAfterSeconds: 3, cause: "busy" });
  expect(new Refusal("full").retryAfterSeconds).toBeNull();
});
