import type { Pool, Sql } from "shared/db/statement";
import { waitFor } from "./wait-for.ts";

/** A lock that holds up a user. */
export const userLock = (userId: string) => (sql: Sql) => sql`select id from app_user where id = ${userId} for update`;

/**
 * Starts calls that wait for the locks of `hold`, and lets them go on together once `count` of them wait; `meanwhile` runs before that. Answers the calls,
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
      // The calls may not be awaited yet.
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
