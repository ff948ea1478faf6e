import { type AlertDetails, type AlertKind, alertKinds, type Condition } from "../../core/alert/alert.ts";
import type { Sql } from "../connect.ts";
import { newId } from "../ids.ts";
import { columns, of, type RowOf } from "../table.ts";

const alertColumns = columns({
  /** The id, which carries the time when the alert was raised. */
  id: of<string>(),
  kind: of<AlertKind>(),
  /** The id of the alert's subject; empty: the account. */
  subject: of<string>(),
  detail: of<AlertDetails[AlertKind]>(),
  cleared_at: of<Date | null>(),
});

export type AlertRow = RowOf<typeof alertColumns>;

/** A newer version beside this one may raise alerts of further kinds. */
export const isKnown = (sql: Sql) => sql`kind = any(${[...alertKinds]}::text[])`;

/** The account's alerts that have not ended. */
export const listCurrent = (sql: Sql, accountId: string) =>
  sql<AlertRow[]>`
    select ${alertColumns.read(sql)} from alert
    where account_id = ${accountId} and cleared_at is null and ${isKnown(sql)} order by id desc limit ${mostCurrent}`;

/** More than all kinds together can find. */
const mostCurrent = 1_000;

/** A page of the account's alerts, newest first. */
export const listAlerts = (
  sql: Sql,
  accountId: string,
  state: "current" | "past" | undefined,
  page: { before: string | null; limit: number },
) =>
  sql<AlertRow[]>`
    select ${alertColumns.read(sql)} from alert
    where account_id = ${accountId} and ${isKnown(sql)} ${page.before === null ? sql`` : sql`and id < ${page.before}`}
      ${state === undefined ? sql`` : state === "past" ? sql`and cleared_at is not null` : sql`and cleared_at is null`}
    order by id desc limit ${page.limit}`;

/** Records the present conditions. A known condition keeps its alert and gets the new detail. Answers the alerts that are new. */
export async function raiseAlerts(
  sql: Sql,
  accountId: string,
  conditions: readonly Condition[],
): Promise<{ id: string; kind: AlertKind }[]> {
  if (conditions.length === 0) return [];
  const given = conditions.map((condition) => ({ id: newId(), ...condition }));
  const rows = await sql<{ id: string; kind: AlertKind; is_new: boolean }[]>`
    insert into alert (id, account_id, kind, subject, detail)
    select id, ${accountId}, kind, subject, detail from json_to_recordset(${JSON.stringify(given)}::text::json) as c(id uuid, kind text, subject text, detail json)
    on conflict (account_id, kind, subject) where cleared_at is null do update set detail = excluded.detail
    returning id, kind, xmax = 0 as is_new`;
  return rows.filter(({ is_new }) => is_new);
}

/** Ends the account's alerts of these kinds, except where a condition still holds; answers the ended ones. */
export const clearAlerts = (
  sql: Sql,
  accountId: string,
  kinds: readonly AlertKind[],
  holding: readonly { kind: AlertKind; subject: string }[],
) =>
  sql<{ id: string; kind: AlertKind }[]>`
    update alert set cleared_at = now()
    where account_id = ${accountId} and cleared_at is null and kind = any(${[...kinds]}::text[]) and not exists (
      select from unnest(${holding.map(({ kind }) => kind)}::text[], ${holding.map(({ subject }) => subject)}::text[]) as h(kind, subject)
      where h.kind = alert.kind and h.subject = alert.subject)
    returning id, kind`;

const keptDays = 90;

/** Deletes at most `limit` alerts that ended long ago; answers how many. */
export async function forgetAlerts(sql: Sql, limit: number): Promise<number> {
  const result = await sql`
    delete from alert where id = any(array(select id from alert where cleared_at < now() - make_interval(days => ${keptDays}) order by cleared_at limit ${limit}))`;
  return result.count;
}
