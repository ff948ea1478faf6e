import type { Sql } from "./connect.ts";
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

export const saveTestConnection = (sql: Sql, row: TestConnectionRow) => sql`
  insert into test_connection ${sql(row, ...connectionColumns.names)}
  on conflict (account_id) do update set waba_id = excluded.waba_id, phone_number_id = excluded.phone_number_id, access_token = excluded.access_token,
    app_secret = excluded.app_secret, updated_at = now()`;

/** Whether the account has had a test site. */
export async function hasTestConnection(sql: Sql, accountId: string): Promise<boolean> {
  const rows = await sql`select from test_connection where account_id = ${accountId}`;
  return rows.length > 0;
}
