import type { EventRow } from "shared/db/event/log";
import { newId } from "shared/db/ids";
import { createLogger } from "shared/server/logger";
import { expect, it } from "vitest";
import { insertEvent } from "../../../test/support/admin-shops.ts";
import { testDatabase } from "../../../test/support/database.ts";
import { openShop } from "../../../test/support/gateway.ts";
import { shared } from "../../../test/support/shared.ts";
import { waitFor } from "../../../test/support/wait-for.ts";
import { createEventTail } from "./event-tail.ts";

const database = shared(async () => testDatabase());

/** A tail that counts how often it looks. */
function openTail() {
  let looks = 0;
  const clock = (): Date => {
    looks += 1;
    return new Date();
  };
  return { tail: createEventTail({ sql: database.sql, log: createLogger("test", "silent"), clock }), looks: () => looks };
}

it("looks once for all who watch an account, and no more when nobody does", async () => {
  const shop = await openShop(database.sql);
  const { tail, looks } = openTail();
  const watchers = Array.from({ length: 20 }, () => {
    const told: EventRow[][] = [];
    return { told, end: tail.watch(shop.accountId, (events) => told.push(events)) };
  });
  await insertEvent(database.sql, shop.siteId);
  await waitFor("all to be told", () => watchers.every(({ told }) => told.length > 0));
  // One look serves all watchers: they get the same rows.
  expect(new Set(watchers.map(({ told }) => told[0])).size).toBe(1);
  for (const { end } of watchers) end();
  const before = looks();
  const other = openTail();
  const end = other.tail.watch(shop.accountId, () => undefined);
  await waitFor("another tail's looks", () => other.looks() >= 4);
  end();
  expect(looks() - before).toBeLessThanOrEqual(1);
});

it("tells an event when it is stored and when it is answered, also one whose id is older than what was told", async () => {
  const shop = await openShop(database.sql);
  const { tail } = openTail();
  const told: [string, string | null][] = [];
  const end = tail.watch(shop.accountId, (events) => told.push(...events.map(({ id, chat }): [string, string | null] => [id, chat])));
  const [early, late] = [newId(), newId()];
  await insertEvent(database.sql, shop.siteId, { id: late, chat: null });
  await waitFor("the later one", () => told.length === 1);
  await insertEvent(database.sql, shop.siteId, { id: early });
  await waitFor("the earlier one", () => told.length === 2);
  await database.sql`update event set chat = 'sent' where id = ${late}`;
  await waitFor("the answer", () => told.length === 3);
  end();
  expect(told).toEqual([
    [late, null],
    [early, "sent"],
    [late, "sent"],
  ]);
});
