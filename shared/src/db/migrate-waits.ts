import { setTimeout as sleep } from "node:timers/promises";
import { type Pool, codeOf, isLockTimeout } from "./statement.ts";

const deadlock = "40P01";

/** How long a migration waits for a lock, while all others queue behind it: sooner than PostgreSQL looks for deadlocks and ends somebody else's transaction. */
export const shortly = "set local lock_timeout = '500ms'";
/** Ten minutes of them. */
const lockAttempts = 400;

export const gaveUp = (cause: unknown): Error =>
  new Error("a migration waited ten minutes for a lock in vain: end the session that holds it, and run the migration again", { cause });

/** What asks for a lock that a long transaction holds lets those who queue behind it go on, and tries again. */
export async function patiently<T>(act: () => Promise<T>, attempts = lockAttempts): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await act();
    } catch (error) {
      if (!isLockTimeout(error) && codeOf(error) !== deadlock) throw error;
      if (attempt === attempts) throw gaveUp(error);
      await sleep(1_000);
    }
  }
}

const lookMs = 250;
/** A wait that is over after two looks is not worth a word; one that goes on is seen again after the pause between two attempts. */
const [looksInVain, goesOnMs] = [3, 3_000];
const againMs = 60_000;

/**
 * Tells by one line, and then each minute, for whom the session of `sql` (one connection) waits: process, application name and since when its transaction
 * is open. It looks over a connection of its own, `beside`, which it opens when something takes long, and ends with it.
 */
export async function tellWaits(sql: Pool, beside: Pool, tell: (line: string) => void): Promise<AsyncDisposable> {
  const [session] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const stopping = new AbortController();
  const { signal } = stopping;
  const looking = (async () => {
    let [seen, seenAt, nextAt] = [0, 0, 0];
    while (await sleep(lookMs, true, { signal }).catch(() => false)) {
      const line = await describeWait(beside, session?.pid ?? 0).catch(() => null);
      if (line === null) continue;
      const now = performance.now();
      seen = now - seenAt < goesOnMs ? seen + 1 : 1;
      seenAt = now;
      if (seen < looksInVain || now < nextAt) continue;
      tell(`the migration waits: ${line}`);
      nextAt = now + againMs;
    }
  })();
  return {
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await looking;
      await beside.end({ timeout: 5 });
    },
  };
}

/**
 * Such as `notification is held by process 4711 (psql, since 2026-11-27 20:00:00 UTC)`; null while it waits for nobody. An owner who is no superuser sees the
 * time and the kind of its own role's sessions alone.
 */
async function describeWait(beside: Pool, pid: number): Promise<string | null> {
  const [row] = await beside<{ line: string | null }[]>`
    select (select string_agg(distinct case locktype when 'relation' then relation::regclass::text when 'advisory' then 'the turn to migrate'
        when 'virtualxid' then 'what older transactions see' else 'a row' end, ', ') from pg_locks where pid = ${pid} and not granted)
      || ' is held by ' || string_agg(case b.pid when 0 then 'a prepared transaction' else format('process %s (%s%s)', b.pid,
        coalesce(nullif(a.application_name, ''), a.backend_type, 'role ' || a.usename, 'a session without a name'),
        to_char(a.xact_start at time zone 'UTC', '", since "YYYY-MM-DD HH24:MI:SS" UTC"')) end, ', ' order by a.xact_start) as line
    from unnest(pg_blocking_pids(${pid})) b(pid) left join pg_stat_activity a on a.pid = b.pid`;
  return row?.line ?? null;
}
