import { type AddressInfo, connect as connectTcp, createServer } from "node:net";
import fc from "fast-check";
import { expect, it, afterAll, beforeAll, test, describe } from "vitest";
import { scaled } from "../../../test/faults/harness/scale.ts";
import { type CuttableProxy, startCuttableProxy, testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { watchPool } from "../metrics/metrics.ts";
import { connect } from "./connect.ts";

describe("connect", () => {
  it("gives each statement its own rows, also where all are new to the connection at once and their waits are measured", async () => {
    await using database = await testDatabase();
    for (const max of [1, 3]) {
      const sql = watchPool(connect(database.url, { max }), () => undefined);
      const texts = Array.from({ length: 60 }, (_, n) => Array.from({ length: 1 + (n % 5) }, (_, i) => `${n} ${i}`));
      const ask = (own: string[], n: number) =>
        sql`select ${own}::text[] as ${sql(`texts_${n}`)}, ${n}::integer as n`.then(
          ([row]) => row,
          (error: Error) => error.message,
        );
      for (let round = 1; round <= 2; round += 1)
        expect(await Promise.all(texts.map(ask))).toEqual(
          texts.map((own, n) => ({ [`texts_${n}`]: `{${own.map((text) => `"${text}"`).join()}}`, n })),
        );
      await sql.end();
    }
  });

  it("takes arrays as parameters, whatever their texts hold", async () => {
    await using database = await testDatabase();
    const { sql } = database;
    const marks = fc.string({ unit: fc.constantFrom('"', "\\", "{", "}", ",", " ", "\n", "\u0001", "\u2028", "\u{1f600}", "n") });
    const any = fc.string({ unit: "binary" }).map((text) => text.replaceAll(/\0|\p{Surrogate}/gu, ""));
    const text = fc.option(fc.oneof(marks, any, fc.constantFrom("NULL", "null", "", '{"a": 1}')));
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 5 }), async (texts) => {
        const rows = await sql<{ text: string }[]>`select t.text from unnest(${texts}::text[]) with ordinality as t(text, n) order by n`;
        expect(rows.map(({ text }) => text)).toEqual(texts);
      }),
      { numRuns: scaled(40, 200) },
    );
    expect(await sql`select 1 as one where 7 = any(${["7", "8"]}::bigint[])`).toHaveLength(1);
    expect(await sql`select 1 as one where 'a' = any(${[]}::text[])`).toHaveLength(0);
  });
});

describe("connection reset", () => {
  let database: TestDatabase;
  let proxy: CuttableProxy;

  beforeAll(async () => {
    database = await testDatabase();
    proxy = await startCuttableProxy(database.url);
  });
  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]();
    await database?.[Symbol.asyncDispose]();
  });

  // The published driver forgets such a statement, and the connection with it: hence the patch in `.patches`.
  test("a statement that is handed to a connection just as it is reset ends like any other", async () => {
    const sql = connect(proxy.url, { max: 1 });
    for (let round = 0; round < 5; round += 1) {
      expect(await sql`select ${round}::integer as n`).toEqual([{ n: round }]);
      const cut = sql`select pg_sleep(60)`.catch((error: { code: string }) => error.code);
      const next = cut.then(async () => sql`select 1 as n`.then(String, (error: { code: string }) => error.code));
      await expect
        .poll(
          async () =>
            (
              await database.sql`select from pg_stat_activity where query like '%pg_sleep(60)%' and pid <> pg_backend_pid() and state = 'active'`
            ).length,
        )
        .toBeGreaterThan(0);
      proxy.cut();
      proxy.mend();
      expect(await cut).toMatch(/^(ECONNRESET|CONNECTION_CLOSED)$/);
      expect(await next).toBeTypeOf("string");
      await database.sql`select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep(60)%' and pid <> pg_backend_pid()`;
    }
    await sql.end({ timeout: 1 });
  });

  // The published driver writes the statement to a socket that is gone, where nobody catches the error, or to the pool's next connection, outside of the transaction.
  test("what is left of a transaction whose connection has closed fails, and runs nowhere else", async () => {
    const sql = connect(proxy.url, { max: 1, applicationName: "cut-in-a-transaction" });
    const backends = async () => (await database.sql`select from pg_stat_activity where application_name = 'cut-in-a-transaction'`).length;
    const codes: string[] = [];
    const note = (error: { code: string }): void => void codes.push(error.code);
    const transaction = sql.begin(async (open) => {
      await open`select 1 as n`;
      proxy.cut();
      proxy.mend();
      await expect.poll(backends).toBe(0);
      await open`insert into account (id, name, verify_token) values (gen_random_uuid(), 'Left over', 'v')`.catch(note);
    });
    await transaction.catch(note);
    // The transaction is over as soon as its connection is; its next statement learns of it later.
    await expect.poll(() => codes.length).toBe(2);
    for (const code of codes) expect(code).toMatch(/^(ECONNRESET|CONNECTION_CLOSED)$/);
    expect(await sql`select id from account`).toEqual([]);
    await sql.end({ timeout: 1 });
  });

  // A proxy does this while its database is away. The published driver would connect again at once, and for ever.
  test("a connection that is closed before the server is ready is an error", async () => {
    const closer = createServer((socket) => socket.end());
    await new Promise<void>((resolve) => closer.listen(0, "127.0.0.1", resolve));
    const sql = connect(`postgres://127.0.0.1:${(closer.address() as AddressInfo).port}/none`, { max: 1 });
    await expect(sql`select 1 as n`).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
    await expect(sql.begin(async (transaction) => transaction`select 1 as n`)).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
    await sql.end({ timeout: 1 });
    closer.close();
  });
});

// PgBouncer before 1.21 takes the end of a statement for the end of all that it was sent, and gives the connection to somebody else.
test("without prepared statements nothing is sent before the statement before has ended", async () => {
  await using database = await testDatabase();
  const { port, hostname } = new URL(database.url);
  let [open, early] = [false, 0];
  const pooler = createServer((client) => {
    const server = connectTcp(Number(port), hostname);
    // A statement's first message is Parse, and its end ReadyForQuery. What begins with a length opens the connection.
    client.on("data", (bytes) => {
      for (let at = bytes[0] === 0 ? bytes.length : 0; at < bytes.length; at += 1 + bytes.readInt32BE(at + 1))
        if (bytes[at] === "P".charCodeAt(0)) [early, open] = [early + Number(open), true];
      server.write(bytes);
    });
    server.on("data", (bytes) => {
      if (bytes.at(-6) === "Z".charCodeAt(0)) open = false;
      client.write(bytes);
    });
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const)
      one.on("error", () => undefined).on("close", () => other.destroy());
  });
  await new Promise<void>((resolve) => pooler.listen(0, "127.0.0.1", resolve));
  const url = Object.assign(new URL(database.url), { port: String((pooler.address() as AddressInfo).port), search: "?prepare=false" });
  const sql = connect(url.href, { max: 1 });
  const numbers = Array.from({ length: 20 }, (_, n) => n);
  const rows = await Promise.all(numbers.map(async (n) => (n % 2 === 0 ? sql`select 0 as n` : sql`select ${n}::integer as n`)));
  expect(rows.map(([row]) => Number(row?.["n"]))).toEqual(numbers.map((n) => (n % 2 === 0 ? 0 : n)));
  const inOrder = await sql.begin(async (open) => Promise.all(numbers.map(async (n) => open`select ${n}::integer as n`)));
  expect(inOrder.map(([row]) => Number(row?.["n"]))).toEqual(numbers);
  expect(early).toBe(0);
  await sql.end({ timeout: 1 });
  pooler.close();
});
