import { type CountedSites, type Sql, countedSites } from "../statement.ts";

/** SQL: counts the messages of rows (`site_id, id, country, priced`) whose price has just been learnt, in one order, so that two statements cannot deadlock. */
export const countPrices = (rows: string): string => `
  insert into notification_price as p (site_id, day, country, category, billable, free)
  select r.site_id, (uuid_time(r.id) at time zone a.timezone)::date as day, coalesce(r.country, '') as country, r.priced->>'category' as category,
    count(*) filter (where (r.priced->>'billable')::boolean)::integer, count(*) filter (where not (r.priced->>'billable')::boolean)::integer
  from ${rows} r join site s on s.id = r.site_id join account a on a.id = s.account_id
  where r.priced is not null group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (site_id, day, country, category) do update set billable = p.billable + excluded.billable, free = p.free + excluded.free`;

export interface PriceRow {
  /** `YYYY-MM`, in the account's time zone. */
  month: string;
  /** ISO 3166-1 alpha-2; empty where it is not known. */
  country: string;
  /** The platform's category, such as `utility` or `marketing_lite`. */
  category: string;
  billable: number;
  free: number;
}

/** The account's messages by what they cost, of all days that the span touches, its end excluded, tests included, as the platform charges for them too. */
export const readPrices = (sql: Sql, { accountId, from, to, ...sites }: CountedSites & { accountId: string; from: Date; to: Date }) =>
  sql<PriceRow[]>`
    select to_char(p.day, 'YYYY-MM') as month, p.country, p.category, sum(p.billable)::integer as billable, sum(p.free)::integer as free
    from site s join account a on a.id = s.account_id join notification_price p on p.site_id = s.id
    where s.account_id = ${accountId} ${countedSites(sql, "s", sites)}
      and p.day >= (${from}::timestamptz at time zone a.timezone)::date and p.day <= ((${to}::timestamptz - interval '1 microsecond') at time zone a.timezone)::date
    group by 1, 2, 3 order by 1, 2, 3`;
