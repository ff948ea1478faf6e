import type { DisabledBecause, WebhookType } from "../../core/webhook.ts";
import { type IdPage, type RowOf, type Sql, columns, hasRows, newestFirst, of, one, valuesOf } from "../statement.ts";

const hostOf = (table: string) => `lower(split_part(split_part(${table}.url, '/', 3), '?', 1))`;

/**
 * SQL: the number of the endpoint among those of its site with the same host, the oldest first; null where there is no other. It tells them apart where the
 * rest of an address, which may be a secret, is not told.
 */
export const numberAtHost = (table: string): string =>
  `(select case when count(*) > 1 then count(*) filter (where o.id <= ${table}.id) end::integer from webhook o
    where o.site_id = ${table}.site_id and ${hostOf("o")} = ${hostOf(table)})`;

const webhookColumns = columns({
  ...of.texts("id", "account_id", "site_id", "url"),
  types: of<WebhookType[]>({ read: "to_json(types)" }),
  enabled: of<boolean>(),
  disabled_because: of<DisabledBecause | null>(),
  /** The time since when nothing has arrived; null: the last delivery has. */
  failing_since: of<Date | null>(),
  created_at: of<Date>(),
  /** When people last changed it. */
  updated_at: of<Date>(),
  number_at_host: of<number | null>({ read: numberAtHost("webhook") }),
});

/** An endpoint of a site. */
export type WebhookRow = RowOf<typeof webhookColumns>;

export const insertWebhook = (sql: Sql, row: Pick<WebhookRow, "id" | "account_id" | "site_id" | "url" | "types" | "enabled">) =>
  sql`insert into webhook ${sql(row)}`;

export const findWebhook = (sql: Sql, accountId: string, id: string) =>
  one(sql<WebhookRow[]>`select ${webhookColumns.read(sql)} from webhook where id = ${id} and account_id = ${accountId}`);

/** A page of the account's endpoints, newest first. */
export const listWebhooks = (sql: Sql, accountId: string, siteId: string | undefined, page: IdPage) =>
  sql<WebhookRow[]>`
    select ${webhookColumns.read(sql)} from webhook
    where account_id = ${accountId} ${siteId === undefined ? sql`` : sql`and site_id = ${siteId}`} ${newestFirst(sql, page)}`;

/** The number of the account's endpoints, and of the site's. */
export const countWebhooks = (sql: Sql, accountId: string, siteId: string) =>
  one(sql<[{ of_account: number; of_site: number }]>`
    select count(*)::integer as of_account, count(*) filter (where site_id = ${siteId})::integer as of_site from webhook where account_id = ${accountId}`);

type WebhookPatch = Partial<Pick<WebhookRow, "url" | "types" | "enabled">>;

/** Changes the endpoint; switching it on or off clears the reason why the service switched it off. */
export async function updateWebhook(sql: Sql, accountId: string, id: string, patch: WebhookPatch): Promise<WebhookRow | undefined> {
  const health = patch.enabled === undefined && patch.url === undefined ? {} : { disabled_because: null, failing_since: null };
  const values = { ...patch, ...health };
  if (Object.keys(values).length === 0) return await findWebhook(sql, accountId, id);
  const [row] = await sql<WebhookRow[]>`
    update webhook set ${valuesOf(sql, values)} where id = ${id} and account_id = ${accountId} returning ${webhookColumns.read(sql)}`;
  return row;
}

export const deleteWebhook = (sql: Sql, accountId: string, id: string) =>
  hasRows(sql`delete from webhook where id = ${id} and account_id = ${accountId} returning id`);
