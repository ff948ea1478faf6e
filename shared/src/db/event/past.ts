import type { StoredEvent } from "../requested-event.ts";
import { type Sql, countRows, withinPage } from "../statement.ts";

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
