import { isMovingAccount } from "./account.ts";
import type { Sql } from "./connect.ts";
import { hasRows } from "./result.ts";
import { columns, of, type RowOf } from "./table.ts";

const connectionColumns = columns({
  account_id: of<string>(),
  waba_id: of<string>(),
  phone_number_id: of<string>(),
  /** Encrypted, as is the app secret. */
  access_token: of<string>(),
  app_secret: of<string>(),
});

/** The account's business account in the sandbox, by which its test sites send, whatever its platform is. */
export type TestConnectionRow = RowOf<typeof connectionColumns>;

/** Gateways that know the account's sites read them anew. */
export const saveTestConnection = (sql: Sql, row: TestConnectionRow) => sql`
  with saved as (
    insert into test_connection ${sql(row, ...connectionColumns.names)}
    on conflict (account_id) do update set waba_id = excluded.waba_id, phone_number_id = excluded.phone_number_id, access_token = excluded.access_token,
      app_secret = excluded.app_secret, updated_at = now() returning account_id
  )
  update account set config_version = config_version + 1 where id in (select account_id from saved)`;

/** Some accounts whose test sites have no connection here: they came from another installation. */
export const listUnconnected = (sql: Sql) => sql<{ account_id: string }[]>`
  select distinct s.account_id from site s join account a on a.id = s.account_id
  where s.mode = 'test' and s.deleted_at is null and not ${isMovingAccount(sql)} and not exists (select from test_connection c where c.account_id = s.account_id)
  limit 20`;

/** Whether the account has had a test site. */
export const hasTestConnection = (sql: Sql, accountId: string) => hasRows(sql`select from test_connection where account_id = ${accountId}`);
