import { expect, test } from "vitest";
import { data } from "../../../test/support/data.ts";
import { createHostCheck } from "./hosts.ts";

const isOurs = createHostCheck(["0.0.0.0", "tidings.example", "fd00::1"]);

test.each([
  undefined,
  "",
  "localhost",
  "LOCALHOST:4002",
  "127.0.0.1:1",
  "127.8.9.1",
  "[::1]:4002",
  "tidings.example",
  "Tidings.Example:443",
  "[fd00::1]:4002",
])("%j is ours", (host) => {
  expect(isOurs(host)).toBe(true);
});

test.each(data<string[]>("server-hosts", "is not"))("%j is not", (host) => {
  expect(isOurs(host)).toBe(false);
});
