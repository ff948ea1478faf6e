import { type PersonType, updatedType } from "../../core/webhook.ts";
import { type RowOf, type Sql, columns, of } from "../statement.ts";

/*
 * Deliveries are written by the statements that change a message's status, so that none is lost and none invented. Each status of a message is told to an
 * endpoint once, however often it is reported. These statements lock the endpoints: one that is being deleted hears nothing more, and neither makes them
 * fail nor has them wait.
 */

/** SQL: locks the endpoints `w`, which only a deletion excludes, and leaves out those that are being deleted. */
const lockEndpoints = "for key share of w skip locked";

/**
 * SQL: tells endpoints of statuses, given as rows (`site_id, event_id, id, type, at`). Test events are not told. One that asks for `message.updated` gets
 * that of each status, stored as `message.updated.sent`, for example. Endpoints and tests are looked for by key: a join reads those of all sites.
 */
export const tellStatuses = (rows: string): string => `
  insert into webhook_delivery (id, webhook_id, type, site_id, event_id, notification_id, occurred_at)
  select ${newIdNow}, w.id, told.type, t.site_id, t.event_id, t.id, t.at
  from (${rows}) as t(site_id, event_id, id, type, at)
    cross join lateral (select w.id, w.types from webhook w where w.site_id = t.site_id and w.enabled ${lockEndpoints}) w
    cross join lateral (values (t.type, t.type), ('${updatedType}', '${updatedType}' || substr(t.type, ${"message.".length}))) as told(asked, type)
  where told.asked = any(w.types) and not exists (select from event e where e.site_id = t.site_id and e.id = t.event_id and e.test offset 0)
  on conflict (notification_id, type, webhook_id) where notification_id is not null do nothing`;

/** SQL: a new id in the form of ours, with the statement's time. */
const newIdNow = "(left(uuid_at(now())::text, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid";

/** The account's endpoints that want one of these types, a row for each type. */
export const findListeners = (sql: Sql, accountId: string, types: readonly PersonType[]) =>
  sql<{ id: string; site_id: string; type: PersonType }[]>`
    select w.id, w.site_id, t.type from webhook w join unnest(${[...types]}::text[]) as t(type) on t.type = any(w.types)
    where w.account_id = ${accountId} and w.enabled order by w.id, t.type`;

const personColumns = columns(
  {
    ...of.each(of<string>({ sqlType: "uuid" }), "id", "webhook_id", "site_id"),
    type: of<PersonType>(),
    phone_hash: of<string>(),
    /** JSON, as it is stored. */
    payload: of<string>(),
    occurred_at: of<string>({ sqlType: "timestamptz" }),
  },
  "t",
);

/** A delivery about a person to one endpoint. Its id follows from its content, so that a repeat makes no second one. */
export type PersonTold = RowOf<typeof personColumns>;

export async function tellOfPeople(sql: Sql, told: readonly PersonTold[]): Promise<void> {
  if (told.length === 0) return;
  await sql`
    insert into webhook_delivery (${sql.unsafe(personColumns.stored)})
    select ${personColumns.read(sql)} from json_to_recordset(${JSON.stringify(told)}::text::json) as t(${sql.unsafe(personColumns.typed)})
      join webhook w on w.id = t.webhook_id ${sql.unsafe(lockEndpoints)}
    on conflict (id) do nothing`;
}
