import { optOutKey } from "../../../core/opt-out.ts";
import type { Sql } from "../../connect.ts";
import type { Fingerprints } from "./record.ts";

/** Which of these messages of a site their recipients have opted out of, by what is known now. */
export async function findUnwilling(
  sql: Sql,
  vault: Fingerprints,
  { accountId, siteId }: { accountId: string; siteId: string },
  messages: readonly { id: string; toPhone: string }[],
): Promise<Set<string>> {
  const asked = messages.map(({ id, toPhone }) => ({ id, phone_hash: vault.fingerprint(optOutKey(accountId, toPhone)) }));
  const rows = await sql<{ id: string }[]>`
    select i.id
    from json_to_recordset(${JSON.stringify(asked)}::text::json) as i(id uuid, phone_hash text)
    join opt_out o on o.account_id = ${accountId} and o.phone_hash = i.phone_hash and o.active
    join notification n on n.site_id = ${siteId} and n.id = i.id
    left join template t on t.id = n.template_id
    where o.scope = 'all' or upper(t.category) = 'MARKETING'`;
  return new Set(rows.map(({ id }) => id));
}
