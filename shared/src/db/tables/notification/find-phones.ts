import type { Sql } from "../../connect.ts";

/** Whom these messages of the account went to. */
export const findPhones = (sql: Sql, accountId: string, messages: readonly { siteId: string; id: string }[]) => {
  const ids = messages.map(({ id }) => id).toSorted();
  const sites = [...new Set(messages.map(({ siteId }) => siteId))];
  return sql<{ id: string; to_phone: string }[]>`
    select id, to_phone from notification
    where account_id = ${accountId} and site_id = any(${sites}::uuid[]) and id = any(${ids}::uuid[])
      and id >= ${ids[0] ?? null}::uuid and id <= ${ids.at(-1) ?? null}::uuid`;
};
