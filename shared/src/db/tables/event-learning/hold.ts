import type { Sql } from "../../connect.ts";

/** How far a site's events are learned, as ids. */
export interface LearningCursors {
  site_id: string;
  fresh: string;
  settled: string;
  /** Whether more was waiting than was read. */
  has_more: boolean;
}

/** Where a site stands, and the ids of moments before now by the database's clock. */
export interface HeldSite {
  site_id: string;
  fresh: string;
  settled: string;
  /** Events below it are committed, but for those of a slow commit or clock. */
  fresh_limit: string;
  /** All events below it are committed. */
  settled_limit: string;
  /** Whether there are events between the two that are to be read once more. */
  overdue: boolean;
}

export interface Lateness {
  /** How late a commit usually may come, in seconds… */
  freshSeconds: number;
  /** …and at the most. */
  settledSeconds: number;
}

/**
 * Holds the sites until the transaction ends, so that no other process learns of them meanwhile. Sites that another holds are left out, or waited for;
 * the caller bounds how long.
 */
export const holdLearning = (sql: Sql, siteIds: readonly string[], { freshSeconds, settledSeconds }: Lateness, others: "skip" | "wait") =>
  sql<HeldSite[]>`
    select site_id, fresh, settled, uuid_at(clock_timestamp() - make_interval(secs => ${freshSeconds})) as fresh_limit,
      uuid_at(clock_timestamp() - make_interval(secs => ${settledSeconds})) as settled_limit,
      ${isOverdue(sql, settledSeconds)} as overdue
    from event_learning where site_id in ${sql(siteIds)}
    order by site_id for no key update ${others === "skip" ? sql`skip locked` : sql``}`;

/** Once events that were read soon are beyond doubt; of a site that always receives some, not after each of them. */
export const isOverdue = (sql: Sql, settledSeconds: number) =>
  sql`(settled < fresh and settled <= uuid_at(clock_timestamp() - make_interval(secs => ${2 * settledSeconds})))`;
