import { connect as dial, createServer, type AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { data } from "../../../test/support/data.ts";
import { emptyDatabase, testDatabase } from "../../../test/support/database.ts";
import { addTemplate, controlToken, messageId, openSandbox, orderMessage, errorOf, sandboxKey } from "../../../test/support/sandbox.ts";
import { shared } from "../../../test/support/shared.ts";
import { waitFor } from "../../../test/support/wait-for.ts";
import { connect } from "../db/connect.ts";
import { ConfigurationError } from "../server/configuration-error.ts";
import { createLogger } from "../server/logger.ts";
import { startSandbox } from "./start.ts";

/** Most database connections of a sandbox. */
const pool = 8;
const log = createLogger("sandbox", "silent");

describe("what stops the start, in one line", () => {
  test("a database that was not migrated", async () => {
    await using database = await emptyDatabase();
    await expect(
      startSandbox({ host: "127.0.0.1", port: 0, databaseUrl: database.url, key: sandboxKey, controlToken, log }),
    ).rejects.toThrow(ConfigurationError);
  });

  test("a port that is taken", async () => {
    await using database = await testDatabase();
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as AddressInfo;
    await expect(startSandbox({ host: "127.0.0.1", port, databaseUrl: database.url, key: sandboxKey, controlToken, log })).rejects.toThrow(
      /^SANDBOX_PORT \d+ is taken/,
    );
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
      return rows.length === pool;
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

const sandbox = shared(async () => openSandbox());

describe("an unknown call", () => {
  test.each(data<[string, string, number][]>("sandbox-start", "examples"))("%s %s", async (method, path, code) => {
    const answer = await sandbox.call(method, path);
    expect([answer.status, errorOf(answer)["code"]]).toEqual([400, code]);
  });

  test("of the sandbox's own", async () => {
    expect((await sandbox.call("GET", "/_sandbox/nothing", undefined, null)).status).toBe(404);
    expect((await sandbox.call("PUT", "/_sandbox/messages", undefined, null)).status).toBe(405);
  });
});

test("a path is the same in every version, with a slash at its end and without", async () => {
  const { phoneNumberId } = sandbox.account;
  const paths = ["", "/v13.0", "/v26.0"].flatMap((version) => [`${version}/${phoneNumberId}`, `${version}/${phoneNumberId}/`]);
  const answers = await Promise.all(paths.map((path) => sandbox.call("GET", path)));
  for (const answer of answers) expect(answer.json).toMatchObject({ id: phoneNumberId });
});

test("a body that is too large is refused in words", async () => {
  const answer = await sandbox.call("POST", `/${sandbox.account.phoneNumberId}/messages`, Buffer.alloc(3 * 1024 * 1024, 32));
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("larger than 1048576 bytes")]);
});

describe("on a connection", () => {
  const behind = "GET /_sandbox/messages HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

  /** Writes the bytes at once and returns the whole answer. */
  async function talk(bytes: string): Promise<string> {
    const { hostname, port } = new URL(sandbox.url);
    const socket = dial(Number(port), hostname);
    socket.end(bytes, "latin1");
    return text(socket);
  }

  test("a request without a clear end is refused, and nothing behind it is read", async () => {
    const answer = await talk(`POST /1/messages HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n${behind}`);
    expect(answer.match(/^HTTP\/1\.1 \d+/gm)).toEqual(["HTTP/1.1 400"]);
    expect(answer).toMatch(/^Connection: close\r$/m);
    expect(answer).toContain('"code":100');
  });

  test.each(["*", "http://[", "http://sandbox/_sandbox/messages"])("the target %s is an unknown path", async (target) => {
    const answer = await talk(`OPTIONS ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400/);
    expect(answer).toContain('"code":2500');
  });
});
