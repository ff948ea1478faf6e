import type { Sql } from "./connect.ts";

/**
 * Takes the turn at a job that one server does for all, for `leaseSeconds`; true for one of however many that ask once it is due. The turn of one that died
 * is over with its lease.
 */
export async function takeTurn(sql: Sql, name: string, owner: string, leaseSeconds: number): Promise<boolean> {
  const rows = await sql`
    insert into job_turn as j (name, owner, lease_until) values (${name}, ${owner}, now() + make_interval(secs => ${leaseSeconds}))
    on conflict (name) do update set owner = excluded.owner, lease_until = excluded.lease_until
      where j.due_at <= now() and (j.lease_until is null or j.lease_until <= now())
    returning name`;
  return rows.length > 0;
}

/** Keeps the turn for as long again; false when it has passed to another. */
export async function keepTurn(sql: Sql, name: string, owner: string, leaseSeconds: number): Promise<boolean> {
  const rows = await sql`
    update job_turn set lease_until = now() + make_interval(secs => ${leaseSeconds}) where name = ${name} and owner = ${owner} returning name`;
  return rows.length > 0;
}

/** Ends the turn; the next is due in so many seconds. */
export async function endTurn(sql: Sql, name: string, owner: string, nextIn: number): Promise<void> {
  await sql`
    update job_turn set owner = null, lease_until = null, due_at = now() + make_interval(secs => ${nextIn}) where name = ${name} and owner = ${owner}`;
}
