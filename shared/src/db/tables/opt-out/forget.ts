import type { Sql } from "../../connect.ts";

/** Removes entries that were lifted so long ago that no older word about them can come any longer: the platform repeats its callbacks for a week. */
export async function forgetLiftedOptOuts(sql: Sql): Promise<number> {
  const result = await sql`delete from opt_out where not active and told_at < now() - interval '30 days'`;
  return result.count;
}
