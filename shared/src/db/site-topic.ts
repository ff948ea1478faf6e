import { sourceTypes } from "../core/site.ts";
import type { ShopFacts } from "../core/sources/shop-fault.ts";
import { sources } from "../core/sources/sources.ts";
import type { Sql } from "./statement.ts";

/** A topic that a shop has posted to its site. */
export interface SiteTopicRow {
  /** The topic, with the status if that decides, as `topicKey` makes it. */
  topic: string;
  last_seen_at: Date;
}

/** Platforms have fewer; topics beyond are not noted. */
const mostTopics = 100;

/** Notes that the topic was seen, at most once a second. */
export const noteTopic = (sql: Sql, siteId: string, topic: string, at: Date) =>
  sql`
    insert into site_topic (site_id, topic, last_seen_at)
    select ${siteId}, ${topic}, ${at}::timestamptz
    where exists (select from site_topic where site_id = ${siteId} and topic = ${topic})
      or (select count(*) from site_topic where site_id = ${siteId}) < ${mostTopics}
    on conflict (site_id, topic) do update set last_seen_at = excluded.last_seen_at
    where site_topic.last_seen_at < excluded.last_seen_at - interval '1 second'`;

/** The topics that the site's shop has posted, the last seen first. */
export const listTopics = (sql: Sql, siteId: string) =>
  sql<
    SiteTopicRow[]
  >`select topic, last_seen_at from site_topic where site_id = ${siteId} order by last_seen_at desc, topic limit ${mostTopics}`;

/** A site whose shop posts by itself: what it has posted, and what its enabled bindings wait for. */
export interface SiteShop extends ShopFacts {
  siteId: string;
  name: string;
}

const shops = sourceTypes.filter((type) => sources[type].events !== null);

/** The account's shops, or one of them. */
export async function listShops(sql: Sql, accountId: string, siteId: string | undefined, now: Date): Promise<SiteShop[]> {
  const rows = await sql<(Omit<SiteShop, "topics" | "awaited" | "now"> & { topics: Dated[] | null; awaited: Dated[] | null })[]>`
    select s.id as "siteId", s.name, s.source_type as "sourceType", s.topic_map as "topicMap", s.connected_at as "connectedAt",
      (select json_agg(json_build_object('name', t.topic, 'at', t.last_seen_at)) from site_topic t where t.site_id = s.id) as topics,
      (select json_agg(json_build_object('name', b.event, 'at', b.created_at)) from binding b where b.site_id = s.id and b.enabled) as awaited
    from site s
    where s.account_id = ${accountId} and s.deleted_at is null and s.enabled and s.source_type = any(${shops}::text[])
      ${siteId === undefined ? sql`` : sql`and s.id = ${siteId}`}
    order by s.id`;
  return rows.map(({ topics, awaited, ...site }) => ({
    ...site,
    now,
    topics: (topics ?? []).map(({ name, at }) => ({ topic: name, last_seen_at: new Date(at) })),
    awaited: (awaited ?? []).map(({ name, at }) => ({ event: name, since: new Date(at) })),
  }));
}

interface Dated {
  name: string;
  /** ISO 8601. */
  at: string;
}
