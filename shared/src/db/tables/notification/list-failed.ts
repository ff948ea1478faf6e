import type { Sql } from "../../connect.ts";
import type { LogPage } from "../log-page.ts";
import type { ResendFilter } from "../resend-job/row.ts";
import { notificationSource } from "./source.ts";

const failed = { status: "failed", notResent: true } as const;

/** The failed messages of a filter that nobody has sent again yet, by error; no more than the page takes. */
export const countFailed = (sql: Sql, accountId: string, filter: ResendFilter, page: LogPage) =>
  sql<{ error_code: string; error_detail: string | null; count: number }[]>`
    with recursive ${notificationSource(sql, accountId, { ...filter, ...failed }, page)}
    select error_code, min(error_detail) filter (where octet_length(error_detail) <= 10000) as error_detail, count(*)::integer as count
    from (select error_code, error_detail from page order by id desc limit ${page.limit}) newest
    group by error_code order by count desc, error_code`;

/** Their ids, newest first. */
export const listFailed = async (sql: Sql, accountId: string, filter: ResendFilter, page: LogPage): Promise<string[]> => {
  const rows = await sql<{ id: string }[]>`
    with recursive ${notificationSource(sql, accountId, { ...filter, ...failed }, page)}
    select id from page order by id desc limit ${page.limit}`;
  return rows.map(({ id }) => id);
};
