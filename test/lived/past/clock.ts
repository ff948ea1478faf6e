import type { Pool } from "shared/db/statement";
import { everydayRole } from "shared/postgres/start";
import { waitFor } from "../../support/wait-for.ts";

// The time of this process and of its database, set back together: rows, ids, leases and what is due then belong to an earlier day, as if the programs had
// run on it. This file is imported before any other that reads the clock.

const RealDate = Date;
let agoMs = 0;

class EarlierDate extends RealDate {
  constructor(...given: [] | [number]) {
    super(...(given.length === 0 ? ([RealDate.now() - agoMs] as const) : given));
  }
  static override now(): number {
    return RealDate.now() - agoMs;
  }
}

Object.assign(globalThis, { Date: EarlierDate });

/** Sets the clock of this process back, and that of all connections, those that are open too. */
export async function setClock(owner: Pool | null, at: Date): Promise<void> {
  agoMs = RealDate.now() - at.getTime();
  if (owner === null) return;
  const ago = `${agoMs} milliseconds`;
  await owner.unsafe(`alter system set lived.ago = '${ago}'`);
  await owner`select pg_reload_conf()`;
  await waitFor("the database's clock", async () => (await owner`select current_setting('lived.ago', true) = ${ago} as is`)[0]?.["is"]);
}

/** Puts functions that go by `lived.ago` before the database's own `now()` and `clock_timestamp()`, for the role of the programs and for the columns' defaults. */
export async function installClock(owner: Pool): Promise<void> {
  await owner.unsafe(`
    create schema lived;
    create function lived.now() returns timestamptz language sql stable parallel safe
      as $$ select pg_catalog.now() - current_setting('lived.ago')::interval $$;
    create function lived.clock_timestamp() returns timestamptz language sql volatile parallel safe
      as $$ select pg_catalog.clock_timestamp() - current_setting('lived.ago')::interval $$;
    grant usage on schema lived to ${everydayRole};
    alter role ${everydayRole} in database tidings set search_path = lived, public, pg_catalog`);
  await changeDefaults(owner, "now()", "lived.now()");
}

/** Leaves the database as its migrations made it. */
export async function removeClock(owner: Pool): Promise<void> {
  await changeDefaults(owner, "lived.now()", "now()");
  await owner.unsafe(`
    drop schema lived cascade;
    alter role ${everydayRole} in database tidings reset search_path`);
  await owner.unsafe("alter system reset lived.ago");
}

const changeDefaults = (owner: Pool, from: string, to: string) =>
  owner.unsafe(`
    do $$ declare one record; begin
      for one in
        select d.adrelid::regclass as relation, a.attname as name
        from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
        where pg_get_expr(d.adbin, d.adrelid) = '${from}'
      loop execute format('alter table %s alter column %I set default ${to}', one.relation, one.name); end loop;
    end $$`);
