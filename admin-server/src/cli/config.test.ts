import { expect, test } from "vitest";
import { data } from "../../../test/support/data.ts";
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

test.each(data<[string, string][]>("admin-server-cli-config", "a wrong is one line"))(
  "a wrong %s is one line that begins with it",
  (name, value) => {
    const environment = { MASTER_KEY: Buffer.alloc(32).toString("base64"), [name]: value };
    expect(problems(environment)).toEqual([expect.stringMatching(new RegExp(`^${name} `))]);
  },
);

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
