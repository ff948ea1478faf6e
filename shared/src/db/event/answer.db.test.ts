import { expect, it } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { testDatabase } from "../../../../test/support/database.ts";
import { newId } from "../ids.ts";
import type { Pool } from "../statement.ts";
import { forgetExpiredKeys, oldestKeys } from "./answer.ts";

interface StoredKey {
  key: string;
  /** How many minutes ago the key's window ended. */
  minutes: number;
  /** The state of the key's event; answered by default. */
  event?: "unfinished" | "listed" | "gone";
}

/** Keys of one site, with their events. */
async function storeKeys(sql: Pool, keys: readonly StoredKey[]): Promise<void> {
  const siteId = newId();
  for (const { key, minutes, event } of keys) {
    const id = newId();
    if (event !== "gone") {
      await sql`
        insert into event (id, site_id, source, name, test, dry_run, bindings_run, chat)
        values (${id}, ${siteId}, 'generic', 'order.created', false, false, 0, ${event === "unfinished" ? null : "sent"})`;
    }
    if (event === "listed") await sql`insert into event_due (site_id, id, due_at) values (${siteId}, ${id}, now())`;
    await sql`
      insert into idempotency (site_id, event, key, dry_run, event_id, expires_at)
      values (${siteId}, 'order.created', ${key}, false, ${id}, now() - make_interval(mins => ${minutes}))`;
  }
}

const keysLeft = async (sql: Pool): Promise<unknown[]> =>
  (await sql`select key from idempotency order by key`).map(({ key }) => key as unknown);

it("forgets keys whose time is over and whose event is answered, and no others", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await storeKeys(sql, data("shared-db-event-answer", "forgets keys whose time is over and whose event is answe"));
  expect(await forgetExpiredKeys(sql, oldestKeys)).toEqual({ deleted: 2, next: null });
  expect(await keysLeft(sql)).toEqual(["counts", "just over", "taken over", "unfinished"]);
});

it("goes on from where it was until no more are left, also past keys that ended at the same moment", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await storeKeys(sql, [{ key: "unfinished", minutes: 9, event: "unfinished" }]);
  await storeKeys(
    sql,
    Array.from({ length: 7 }, (_, n) => ({ key: `old ${n}`, minutes: 9 - n })),
  );
  await sql`update idempotency set expires_at = now() - interval '5 minutes' where key in ('old 2', 'old 3', 'old 4', 'old 5')`;
  const deleted: number[] = [];
  for (let after: string | null = oldestKeys.after; after !== null;) {
    const step = await forgetExpiredKeys(sql, { after, limit: 2 });
    deleted.push(step.deleted);
    after = step.next;
  }
  expect(deleted).toEqual([2, 2, 2, 1]);
  expect(await keysLeft(sql)).toEqual(["unfinished"]);
});

it("leaves a key that is taken anew at the same moment, and does not wait for it", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await storeKeys(sql, [
    { key: "other", minutes: 2 },
    { key: "taken anew", minutes: 2 },
  ]);
  await sql.begin(async (claim) => {
    await claim`update idempotency set event_id = ${newId()}, expires_at = now() + interval '5 minutes' where key = 'taken anew'`;
    expect(await forgetExpiredKeys(sql, oldestKeys)).toEqual({ deleted: 1, next: null });
  });
  expect(await keysLeft(sql)).toEqual(["taken anew"]);
});
