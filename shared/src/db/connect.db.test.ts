import { type AddressInfo, createServer } from "node:net";
import fc from "fast-check";
import { expect, it, afterAll, beforeAll, test, describe } from "vitest";
import { type CuttableProxy, startCuttableProxy, testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { connect } from "./connect.ts";

describe("connect", () => {
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
      { numRuns: 200 },
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
