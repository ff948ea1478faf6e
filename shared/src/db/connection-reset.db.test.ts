import { type AddressInfo, createServer } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CuttableProxy, startCuttableProxy } from "../../../test/support/database/cuttable-proxy.ts";
import { testDatabase, type TestDatabase } from "../../../test/support/database/test-database.ts";
import { connect } from "./connect.ts";

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

// The driver as published forgets such a statement, and with it the connection: hence the patch in `.patches`.
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

// As a proxy does whose database is away: the driver as published would connect again at once, and for ever.
test("a connection that is closed before the server is ready is an error", async () => {
  const closer = createServer((socket) => socket.end());
  await new Promise<void>((resolve) => closer.listen(0, "127.0.0.1", resolve));
  const sql = connect(`postgres://127.0.0.1:${(closer.address() as AddressInfo).port}/none`, { max: 1 });
  await expect(sql`select 1 as n`).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  await expect(sql.begin(async (transaction) => transaction`select 1 as n`)).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  await sql.end({ timeout: 1 });
  closer.close();
});
