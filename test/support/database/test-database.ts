import { randomBytes } from "node:crypto";
import { connect, type Pool } from "shared/db/connect";
import { inject } from "vitest";

export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
  readonly sql: Pool;
}

/** A fresh, migrated database of the test's own; dropped when disposed, whoever is still connected. */
export const testDatabase = async (): Promise<TestDatabase> => cloneOf(inject("templateName"));

/** A fresh database without any table. */
export const emptyDatabase = async (): Promise<TestDatabase> => cloneOf("template0");

const cloneOf = async (template: string): Promise<TestDatabase> => {
  const name = `test_${randomBytes(6).toString("hex")}`;
  await onServer(async (server) => server`create database ${server(name)} template ${server(template)}`);
  const url = new URL(inject("serverUrl"));
  url.pathname = name;
  const sql = connect(url.href, { max: 10, applicationName: "test" });
  return {
    url: url.href,
    sql,
    [Symbol.asyncDispose]: async () => {
      await sql.end({ timeout: 5 });
      await onServer(async (server) => server`drop database ${server(name)} with (force)`);
    },
  };
};

const onServer = async (run: (server: Pool) => Promise<unknown>): Promise<void> => {
  const server = connect(inject("serverUrl"), { max: 1 });
  try {
    await run(server);
  } finally {
    await server.end();
  }
};
