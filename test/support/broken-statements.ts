import { type Pool, retryCollisions } from "shared/db/statement";
import { onTestFinished } from "vitest";
import type { Owner } from "./database.ts";

/** Statements that PostgreSQL refuses. */
export interface BrokenStatements {
  /** How often one was refused so far. */
  hits(): Promise<number>;
  heal(): Promise<void>;
}

export interface Breaking {
  table: string;
  on: "update" | "delete" | "insert";
  /** SQL: which rows; all by default. */
  when?: string;
}

/** Breaks the statements that change such rows, until they are healed or the test ends. Counts the refusals in a sequence, which no rollback takes back. */
export async function breakStatements(owner: Owner, { table, on, when = "true" }: Breaking): Promise<BrokenStatements> {
  const name = `broken_${Math.random().toString(36).slice(2)}`;
  await retryCollisions(async () =>
    owner.unsafe(`
      create sequence ${name};
      create table ${name}_healed ();
      create function ${name}() returns trigger language plpgsql security definer as $$
      begin
        if not exists (select from ${name}_healed) then
          perform nextval('${name}');
          raise exception 'broken on purpose' using errcode = 'XX000';
        end if;
        return ${on === "delete" ? "old" : "new"};
      end $$;
      create trigger ${name} before ${on} on ${table} for each row when (${when}) execute function ${name}()`),
  );
  const heal = async (): Promise<void> => void (await owner.unsafe(`insert into ${name}_healed default values`));
  onTestFinished(heal);
  return {
    hits: async () => {
      const [row] = await owner.unsafe<{ n: number }[]>(`select case when is_called then last_value else 0 end::integer as n from ${name}`);
      return row?.n ?? 0;
    },
    heal,
  };
}

/** What gateways own as far as the database knows, by table. */
export async function ownedRows(sql: Pool): Promise<Record<string, number>> {
  const rows = await sql<{ what: string; n: number }[]>`
    select what, count(*)::integer as n from (
      select 'waiting_message' as what from waiting_message where owner is not null
      union all select 'recipient_turn' from recipient_turn where owner is not null
      union all select 'webhook_delivery' from webhook_delivery where owner is not null
      union all select 'requested_event' from requested_event where owner is not null
      union all select 'reconcile' from reconcile where owner is not null
      union all select 'event' from event where chat is null
      union all select 'event_due' from event_due
    ) owned group by what`;
  return Object.fromEntries(rows.map(({ what, n }) => [what, n]));
}
