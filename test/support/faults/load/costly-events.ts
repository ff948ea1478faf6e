import type { Pool } from "shared/db/connect";

/** Makes the database take so many milliseconds for each event that it stores: what it can take is then small, and the same on any machine. */
export async function makeEventsCostly(sql: Pool, ms: number): Promise<void> {
  await sql.unsafe(`
    create function take_time() returns trigger language plpgsql as $$
    begin
      perform pg_sleep(${ms / 1000});
      return new;
    end $$;
    create trigger take_time before insert on event for each row execute function take_time()`);
}
