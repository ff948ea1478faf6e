import type { KnownField } from "../../../core/fields/merge-fields.ts";
import type { Sql } from "../../connect.ts";
import type { EventKindRow } from "./row.ts";

/**
 * Empties samples at the sites, such as those of events that were erased (`field.sampled` is the event) or that hold somebody's number; what a path is
 * stays known. Within a transaction, after the payloads were emptied: learners are waited for, and what they read from then on is what is left.
 */
export async function forgetSamples(sql: Sql, siteIds: readonly string[], isForgotten: (field: KnownField) => boolean): Promise<void> {
  if (siteIds.length === 0) return;
  await sql`select site_id from event_learning where site_id in ${sql(siteIds)} order by site_id for no key update`;
  const kinds = await sql<EventKindRow[]>`select site_id, name, last_event_id, fields from event_kind where site_id in ${sql(siteIds)}`;
  const changed = kinds
    .filter(({ fields }) => fields.some((field) => field.sample !== null && isForgotten(field)))
    .map(({ site_id, name, fields }) => ({
      site_id,
      name,
      fields: fields.map((field) => (isForgotten(field) ? { ...field, sample: null } : field)),
    }));
  if (changed.length === 0) return;
  await sql`
    update event_kind k set fields = r.fields
    from json_to_recordset(${JSON.stringify(changed)}::text::json) as r(site_id uuid, name text, fields json)
    where k.site_id = r.site_id and k.name = r.name`;
}
