import { type Sql, hasRows, scalars } from "./statement.ts";

/** SQL: the phones that the account's people have entered: recipient lists, test phones and bindings to one phone. */
const ownPhones = (sql: Sql, accountId: string) => sql`
  select r.phone from site_recipient r join site s on s.id = r.site_id where s.account_id = ${accountId}
  union select test_phone from site where account_id = ${accountId} and test_phone is not null
  union select b.recipient->>'phone' from binding b join site s on s.id = b.site_id
    where s.account_id = ${accountId} and b.recipient->>'strategy' = 'static_phone'`;

/** The phones of the account's own people, E.164. */
export const listOwnPhones = (sql: Sql, accountId: string) => scalars(sql<{ phone: string }[]>`${ownPhones(sql, accountId)}`);

/** Whether the account's own lists, test phones or bindings hold the phone already. */
export const isOwnPhone = (sql: Sql, accountId: string, phone: string) =>
  hasRows(sql`select from (${ownPhones(sql, accountId)}) own where phone = ${phone} limit 1`);
