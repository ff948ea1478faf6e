import { expect, test } from "vitest";
import { readMigrateConfig, readStartConfig } from "./config.ts";

const problems = (environment: Record<string, string>): readonly string[] => {
  try {
    readStartConfig(environment);
    return [];
  } catch (error) {
    return error instanceof Error ? error.message.split("\n") : [];
  }
};

test("nothing needs to be set", () => {
  expect(readStartConfig({})).toMatchObject({
    host: "127.0.0.1",
    gatewayPort: 4000,
    adminPort: 4001,
    sandboxPort: 4002,
    databaseUrl: undefined,
  });
  expect(readStartConfig({}).dataDir).toMatch(/^\/.*\/\.data$/);
});

test("a database of one's own needs the master key with it", () => {
  expect(problems({ DATABASE_URL: "postgres://localhost/x" })).toEqual([
    expect.stringMatching(/^MASTER_KEY must be set with DATABASE_URL/),
  ]);
  expect(problems({ DATABASE_URL: "postgres://localhost/x", MASTER_KEY: Buffer.alloc(32).toString("base64") })).toEqual([]);
});

test.each([
  ["GATEWAY_PORT", "x"],
  ["ADMIN_PORT", "99999"],
  ["SANDBOX_PORT", "-1"],
  ["DATABASE_URL", "mysql://x"],
  ["MASTER_KEY", "short"],
  ["SANDBOX_KEY", "short"],
  ["ALLOWED_HOSTS", "a b"],
  ["PLATFORM_API_URL", "graph.facebook.com"],
  ["PUBLIC_GATEWAY_URL", "nowhere"],
  ["PUBLIC_ADMIN_URL", "nowhere"],
  ["TRUST_PROXY", "maybe"],
  ["ALLOW_SIGNUP", "maybe"],
  ["MAX_BODY_BYTES", "1MB"],
  ["IN_DOUBT_SECONDS", "0"],
  ["WEBHOOK_ALLOW_PRIVATE", "10.0.0.0"],
  ["LOG_LEVEL", "loud"],
])("a wrong %s is one line that begins with it", (name, value) => {
  const environment = { MASTER_KEY: Buffer.alloc(32).toString("base64"), [name]: value };
  expect(problems(environment)).toEqual([expect.stringMatching(new RegExp(`^${name} `))]);
});

test("an owner needs an address and a password, and several wrong variables are told at once", () => {
  expect(problems({ ADMIN_EMAIL: "ann@example.com" })).toEqual([expect.stringMatching(/^ADMIN_PASSWORD /)]);
  expect(problems({ ADMIN_PORT: "x", LOG_LEVEL: "y" })).toHaveLength(2);
});

test("a former master key needs its successor, and an owner's address the programs'", () => {
  expect(problems({ MASTER_KEY_OLD: Buffer.alloc(32).toString("base64") })).toEqual([expect.stringMatching(/^MASTER_KEY must be set/)]);
  expect(problems({ MIGRATE_DATABASE_URL: "postgres://owner@localhost/x" })).toEqual([expect.stringMatching(/^DATABASE_URL must be set/)]);
});

test("a command on a database of its own needs its address", () => {
  expect(() => readMigrateConfig({})).toThrow(/^DATABASE_URL must be set/);
});
