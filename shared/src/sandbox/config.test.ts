import { expect, test } from "vitest";
import { readSandboxConfig } from "./config.ts";

const databaseUrl = "postgres://user:hunter2@localhost/db";

test("defaults", () => {
  const key = Buffer.alloc(32, 1);
  const required = { DATABASE_URL: databaseUrl, SANDBOX_KEY: key.toString("base64"), SANDBOX_CONTROL_TOKEN: "secret" };
  expect(readSandboxConfig(required)).toEqual({
    host: "127.0.0.1",
    port: 4002,
    databaseUrl,
    key,
    controlToken: "secret",
    allowedHosts: [],
    logLevel: "info",
  });
  expect(() => readSandboxConfig({ DATABASE_URL: databaseUrl })).toThrow(/^SANDBOX_KEY must be set[^]*^SANDBOX_CONTROL_TOKEN must be set/m);
});

test("every wrong variable is named, the password never", () => {
  const read = () => readSandboxConfig({ DATABASE_URL: "mysql://user:hunter2@localhost", SANDBOX_PORT: "x", LOG_LEVEL: "loud" });
  expect(read).toThrow(/^DATABASE_URL [^]*$/m);
  expect(read).toThrow(/^SANDBOX_PORT /m);
  expect(read).toThrow(/^LOG_LEVEL /m);
  expect(read).not.toThrow(/hunter2/);
});
