import type { Sql } from "../../connect.ts";

/** How many of `wanted` requests a site may still accept this second, over all gateways. Sites are locked in the order of their ids. */
export async function takeSiteRates(
  sql: Sql,
  wanted: { site_id: string; allowed: number; wanted: number }[],
): Promise<Map<string, number>> {
  const rows = await sql<{ site_id: string; granted: number }[]>`
    select w.site_id, take_site_rate(w.site_id, w.allowed, w.wanted) as granted
    from (
      select site_id, allowed, wanted
      from json_to_recordset(${JSON.stringify(wanted)}::text::json) as r(site_id uuid, allowed integer, wanted integer)
      order by site_id
    ) w`;
  return new Map(rows.map((row) => [row.site_id, row.granted]));
}
