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

/** Which of these phones a message of the account would not go to, by what is known now. `marketing`: whether its template is. */
export async function findOptedOut(
  sql: Sql,
  vault: Fingerprints,
  { accountId, marketing }: { accountId: string; marketing: boolean },
  phones: readonly string[],
): Promise<Set<string>> {
  const asked = phones.map((phone) => ({ phone, phone_hash: vault.fingerprint(optOutKey(accountId, phone)) }));
  const rows = await sql<{ phone: string }[]>`
    select i.phone
    from json_to_recordset(${JSON.stringify(asked)}::text::json) as i(phone text, phone_hash text)
    join opt_out o on o.account_id = ${accountId} and o.phone_hash = i.phone_hash and o.active
    where o.scope = 'all' or ${marketing}`;
  return new Set(rows.map(({ phone }) => phone));
}
