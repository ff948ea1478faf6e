import { expect, test } from "vitest";
import { readSandboxConfig } from "./config.ts";

const databaseUrl = "postgres://user:secret@localhost/db";

test("defaults", () => {
  expect(readSandboxConfig({ DATABASE_URL: databaseUrl })).toEqual({ host: "127.0.0.1", port: 4002, databaseUrl, logLevel: "info" });
});

test("every wrong variable is named, the password never", () => {
  const read = () => readSandboxConfig({ DATABASE_URL: "mysql://user:secret@localhost", SANDBOX_PORT: "x", LOG_LEVEL: "loud" });
  expect(read).toThrow(/^DATABASE_URL [^]*$/m);
  expect(read).toThrow(/^SANDBOX_PORT /m);
  expect(read).toThrow(/^LOG_LEVEL /m);
  expect(read).not.toThrow(/secret/);
});
