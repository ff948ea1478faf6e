import { messageTypes } from "../../core/webhook.ts";
import type { Sql } from "../connect.ts";
import type { DeliveryContent } from "./take.ts";

/** The most messages whose statuses are read, the newest of the site. */
const mostMessages = 1_000;

/** A status of a message as an endpoint would be told of it; `id`: the same each time. */
export type RecentStatus = DeliveryContent;

/**
 * The statuses since a moment of a site's newest messages, oldest first, those of one message in the order of a message's life: the platform tells times in
 * whole seconds. Test events are not told. Ids below `from` are not looked at.
 */
export const readRecentStatuses = (sql: Sql, siteId: string, from: string, since: Date) =>
  sql<RecentStatus[]>`
    select n.id || '.' || t.type as id, t.type, ${siteId}::uuid as site_id, n.event_id, n.id as notification_id, null as payload, t.at as occurred_at,
      n.binding_id, n.template, n.to_phone, n.wa_message_id
    from (
      select id, event_id, binding_id, template, to_phone, wa_message_id, status, sent_at, delivered_at, read_at, failed_at from notification
      where site_id = ${siteId} and id >= ${from} and not test
      order by id desc limit ${mostMessages}
    ) n cross join lateral unnest(${[...messageTypes]}::text[],
      array[n.sent_at, n.delivered_at, n.read_at, case when n.status = 'failed' then n.failed_at end]) with ordinality as t(type, at, nth)
    where t.at >= ${since}
    order by max(t.at) over (partition by n.id order by t.nth), n.id, t.nth`;
