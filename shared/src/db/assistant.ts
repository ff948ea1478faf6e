import { type RowOf, type Sql, columns, of, one, scalar } from "./statement.ts";

const settings = {
  provider: of<"openai" | "anthropic">(),
  ...of.texts("base_url", "model"),
  /** The encrypted key; null if the provider takes none. */
  api_key: of<string | null>(),
  api_key_hint: of<string>(),
  /** The time limit of one answer. */
  timeout_seconds: of<number>(),
  output_tokens: of<number>(),
  /** The account's tokens in 24 hours. */
  daily_tokens: of<number>(),
};

const assistantColumns = columns({ account_id: of<string>(), ...settings, updated_at: of<Date>() });

/** The provider that an account's assistant asks. An account without one has no assistant. */
export type AssistantRow = RowOf<typeof assistantColumns>;

const replaced = Object.keys(settings)
  .map((name) => `${name} = excluded.${name}`)
  .join(", ");

export const saveAssistant = (sql: Sql, row: Omit<AssistantRow, "updated_at">) =>
  sql`
    insert into assistant ${sql(row)}
    on conflict (account_id) do update set ${sql.unsafe(replaced)}, updated_at = now()`;

export const findAssistant = (sql: Sql, accountId: string) =>
  one(sql<AssistantRow[]>`select ${assistantColumns.read(sql)} from assistant where account_id = ${accountId}`);

export const deleteAssistant = (sql: Sql, accountId: string) => sql`delete from assistant where account_id = ${accountId}`;

/** The provider address to which the person has agreed to send questions; null when they agreed to none. */
export const findAgreement = async (sql: Sql, accountId: string, userId: string) =>
  (await scalar(sql<{ assistant_agreed: string | null }[]>`
    select assistant_agreed from membership where account_id = ${accountId} and user_id = ${userId}`)) ?? null;

export const noteAgreement = (sql: Sql, accountId: string, userId: string, place: string) =>
  sql`update membership set assistant_agreed = ${place} where account_id = ${accountId} and user_id = ${userId}`;
