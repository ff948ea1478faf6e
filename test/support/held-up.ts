import type { Pool, Sql } from "shared/db/connect";
import { waitFor } from "./wait-for.ts";

/** Holds a user up. */
export const userLock = (userId: string) => (sql: Sql) => sql`select id from app_user where id = ${userId} for update`;

/**
 * Starts calls that wait for what `hold` has locked, and lets them go on together once `count` of them wait; `meanwhile` happens before that. Answers the calls,
 * which may still be under way.
 */
export const heldUp = async <T>(
  sql: Pool,
  hold: (sql: Sql) => Promise<unknown>,
  count: number,
  start: () => Promise<T>[],
  meanwhile: (sql: Sql) => Promise<unknown> = async () => Promise.resolve(),
): Promise<Promise<T>[]> =>
  sql
    .begin(async (transaction) => {
      await hold(transaction);
      const calls = start();
      // Nobody may await them yet.
      void Promise.allSettled(calls);
      await waitFor(`${count} calls to wait`, async () => {
        const [row] = await sql<[{ waiting: number }]>`
        select count(*)::integer as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
        return row.waiting >= count;
      });
      await meanwhile(transaction);
      return { calls };
    })
    .then(({ calls }) => calls);
