import { beforeAll, expect, it } from "vitest";
import { testDatabase } from "../../../test/support/database.ts";
import { masterKey, openShop, type Shop } from "../../../test/support/gateway.ts";
import { shared } from "../../../test/support/shared.ts";
import { newId } from "../db/ids.ts";
import { createRowCodec, isRecord, plainRows } from "../secrets/row-codec.ts";
import { encryptPage } from "./encrypt-stored.ts";

let shop: Shop;
const database = shared(async () => testDatabase());
beforeAll(async () => {
  shop = await openShop(database.sql);
});

const noId = "00000000-0000-0000-0000-000000000000";
const encrypt = (table: string, after = noId) =>
  encryptPage(database.sql, rowsOf(), { step: { table, siteId: shop.siteId }, accountId: shop.accountId, after });
const rowsOf = () => createRowCodec(masterKey, shop.accountId, true);

it("encrypts what looks like a record, begins like one, or like what erasing leaves", async () => {
  const { sql } = database;
  const values = [
    `s1.${"A".repeat(22)}`,
    `s1.${"A".repeat(30)} Ada`,
    `p1.s1.${"A".repeat(22)}`,
    "••• Ada",
    `c1.${"Ada".repeat(20)}`,
    "erased",
    "[]",
  ];
  const orders = values.map((value) => ({ id: newId(), value }));
  for (const { id, value } of orders) {
    const [stored, compared] = [plainRows.seal(value, "customer_order.status", id), plainRows.conceal(value, "customer_order.number")];
    await sql`insert into customer_order (id, site_id, status, number, last_event_id) values (${id}, ${shop.siteId}, ${stored}, ${compared}, ${id})`;
    expect(plainRows.open(stored, "customer_order.status", id)).toBe(value);
  }
  expect((await encrypt("customer_order")).changed).toBe(values.length);
  for (const { id, value } of orders) {
    const [row] = await sql<{ status: string; number: string }[]>`select status, number from customer_order where id = ${id}`;
    for (const column of ["status", "number"] as const) {
      const text = row?.[column] ?? "";
      // The run is longer than any that base64 has by chance.
      expect([isRecord(text), /AdaAda| Ada|A{20}/.test(text)]).toEqual([true, false]);
      expect(rowsOf().open(text, `customer_order.${column}`, id)).toBe(value);
    }
  }
  expect((await encrypt("customer_order")).changed).toBe(0);
});

it("takes a few large payloads at a time", async () => {
  const { sql } = database;
  const ids = Array.from({ length: 12 }, () => newId());
  for (const id of ids)
    await sql`insert into event_payload (id, site_id, payload) values (${id}, ${shop.siteId}, ${JSON.stringify({ text: "x".repeat(1_000_000) })})`;
  const first = await encrypt("event_payload");
  expect(first).toEqual({ next: ids[6], changed: 7 });
  expect(await encrypt("event_payload", first.next ?? "")).toEqual({ next: null, changed: 5 });
  const huge = newId();
  await sql`insert into event_payload (id, site_id, payload) values (${huge}, ${shop.siteId}, ${JSON.stringify({ text: "x".repeat(9_000_000) })})`;
  expect(await encrypt("event_payload", ids.at(-1))).toEqual({ next: null, changed: 1 });
});
