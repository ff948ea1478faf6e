import { createServer, type AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { emptyDatabase, testDatabase } from "../../../test/support/database.ts";
import { addTemplate, messageId, openSandbox, orderMessage } from "../../../test/support/sandbox.ts";
import { waitFor } from "../../../test/support/wait-for.ts";
import { connect } from "../db/connect.ts";
import { ConfigurationError } from "../server/configuration-error.ts";
import { createLogger } from "../server/logger.ts";
import { startSandbox } from "./start.ts";

/** Most database connections of a sandbox. */
const POOL = 8;
const log = createLogger("sandbox", "silent");

describe("what stops the start, in one line", () => {
  test("a database that was not migrated", async () => {
    await using database = await emptyDatabase();
    await expect(startSandbox({ host: "127.0.0.1", port: 0, databaseUrl: database.url, log })).rejects.toThrow(ConfigurationError);
  });

  test("a port that is taken", async () => {
    await using database = await testDatabase();
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as AddressInfo;
    await expect(startSandbox({ host: "127.0.0.1", port, databaseUrl: database.url, log })).rejects.toThrow(/^SANDBOX_PORT \d+ is taken/);
    other.close();
  });
});

test("connections that the database cuts neither lose nor double a message or a status", async () => {
  await using sandbox = await openSandbox();
  await addTemplate(sandbox);
  const sql = connect(sandbox.databaseUrl, { max: 1 });
  const inbox = async () => (await sandbox.call("GET", "/_sandbox/messages", undefined, null)).json as { id: string }[] | { error: object };
  const sent: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    // The driver fails when a connection is cut while it opens, so the pool is filled first.
    await waitFor("a full pool", async () => {
      await Promise.all(Array.from({ length: 40 }, inbox));
      const rows =
        await sql`select pid from pg_stat_activity where application_name = 'tidings-sandbox' and datname = current_database() and state = 'idle'`;
      return rows.length === POOL;
    });
    const answers = Array.from({ length: 100 }, async (_, i) => sandbox.send(`+49170${String(1_000_000 + round * 100 + i)}`, orderMessage));
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tidings-sandbox' and datname = current_database()`;
    sent.push(...(await Promise.all(answers)).map(messageId));
  }
  await sql.end();
  const messages = await waitFor("the inbox", async () => {
    const found = await inbox();
    return Array.isArray(found) && found;
  });
  expect(messages.map(({ id }) => id).toSorted()).toEqual(sent.toSorted());
  await waitFor(
    "every status",
    () => new Set(sandbox.receiver.statuses().map(({ id, status }) => `${id} ${status}`)).size === sent.length * 3,
  );
});
