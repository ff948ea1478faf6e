import { type RowOf, type Sql, asJson, columns, of, one } from "./statement.ts";

const useColumns = columns({
  ...of.texts("id", "account_id", "user_id", "kind", "model"),
  /** The most tokens that the question may cost; once it has ended, the tokens it has cost. */
  tokens: of<number>(),
});

/** A question to an account's provider. */
export type AssistantUseRow = RowOf<typeof useColumns>;

/** How many seconds a question may wait to be asked. */
const waitSeconds = 60;

export interface AssistantLoad {
  /** The tokens that the questions of the last 24 hours have cost, and may still cost. */
  tokens: number;
  /** The number of these questions. */
  count: number;
  /** The number of the account's questions that are under way. */
  running: number;
  /** The number of questions under way in all accounts. */
  running_anywhere: number;
  /** The number of them in accounts that were opened from the same network as this one; 0 for an account that was not opened by a sign-up. */
  running_of_network: number;
}

/** The account's use of its assistant. A question that was prepared but never asked costs nothing. */
export const readAssistantLoad = (sql: Sql, accountId: string) =>
  one(sql<[AssistantLoad]>`
    select coalesce(sum(tokens) filter (where input is null or running_until > now()), 0)::float8 as tokens, count(*)::integer as count,
      (count(*) filter (where running_until > now()))::integer as running,
      (select count(*) from assistant_use where running_until > now())::integer as running_anywhere,
      (select count(*) from account own join account a on a.opened_from = own.opened_from join assistant_use u on u.account_id = a.id
        where own.id = ${accountId} and u.running_until > now())::integer as running_of_network
    from assistant_use where account_id = ${accountId} and id >= uuid_at(now() - interval '24 hours')`);

/** Stores a question that may be asked within a minute, and deletes the account's questions that were never asked. */
export async function insertAssistantUse(sql: Sql, row: AssistantUseRow & { input: object }): Promise<void> {
  const { input, ...use } = row;
  await sql`delete from assistant_use where account_id = ${use.account_id} and input is not null and running_until < now()`;
  await sql`
    insert into assistant_use (id, account_id, user_id, kind, model, tokens, input, running_until)
    values (${use.id}, ${use.account_id}, ${use.user_id}, ${use.kind}, ${use.model}, ${use.tokens}, ${asJson(sql, input)},
      now() + make_interval(secs => ${waitSeconds}))`;
}

/** Takes the person's prepared question, once; undefined when there is none. It counts as under way for `seconds`. */
export const takeAssistantUse = (sql: Sql, { id, accountId, userId }: { id: string; accountId: string; userId: string }, seconds: number) =>
  one(sql<(AssistantUseRow & { input: unknown })[]>`
    update assistant_use u set input = null, running_until = now() + make_interval(secs => ${seconds})
    from (select id, input from assistant_use where id = ${id} for update) was
    where u.id = was.id and u.account_id = ${accountId} and u.user_id = ${userId} and was.input is not null and u.running_until > now()
    returning u.id, u.account_id, u.user_id, u.kind, u.model, u.tokens, was.input`);

/** Ends a question and records how many tokens it cost. */
export const endAssistantUse = (sql: Sql, id: string, tokens: number) =>
  sql`update assistant_use set tokens = ${tokens}, running_until = null, input = null where id = ${id}`;

/** Deletes questions that no longer count against a limit, and those that were never asked. */
export const forgetOldAssistantUses = (sql: Sql) => sql`
  delete from assistant_use where id < uuid_at(now() - interval '25 hours') or (input is not null and running_until < now())`;
