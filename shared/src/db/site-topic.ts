import type { Sql } from "./connect.ts";

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
