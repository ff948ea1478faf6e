import { type Sql, countRows, withinPage } from "../statement.ts";
import type { EventDetailRow } from "./log.ts";

/** A stored event with everything that a request would have brought, its values in their stored form. */
export type StoredEvent = Pick<EventDetailRow, "id" | "source" | "name" | "test" | "dry_run" | "payload" | "trace">;

/** Some of a site's events, in the order in which they came. */
export const readStoredEvents = (sql: Sql, siteId: string, ids: readonly string[]) =>
  sql<StoredEvent[]>`
    select e.id, e.source, e.name, e.test, e.dry_run, p.payload, p.trace
    from event e left join event_payload p on p.site_id = e.site_id and p.id = e.id
    where e.site_id = ${siteId} and e.id = any(${[...ids]}::uuid[]) order by e.id`;

/** The ids from `from` on and below `before`. */
export type PastSpan = Record<"from" | "before", string>;

/** The number of a site's stored events in a span, without dry runs. */
export const countPastEvents = (sql: Sql, siteId: string, span: PastSpan) =>
  countRows(sql, sql`select from event where site_id = ${siteId} and not dry_run ${withinPage(sql, span)}`);

/** The same events of these names, as they came, after the id `after`. */
export const readPastEvents = (sql: Sql, siteId: string, names: readonly string[], span: PastSpan, after: string | null, limit: number) =>
  sql<StoredEvent[]>`
    select e.id, e.source, e.name, e.test, e.dry_run, p.payload, p.trace
    from (
      select id, source, name, test, dry_run from event
      where site_id = ${siteId} and name = any(${[...names]}::text[]) and not dry_run ${withinPage(sql, span)}
        ${after === null ? sql`` : sql`and id > ${after}`}
      order by id limit ${limit}
    ) e left join lateral (select payload, trace from event_payload where site_id = ${siteId} and id = e.id limit 1) p on true
    order by e.id`;
