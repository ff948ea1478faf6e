import { mostOpenOperations, type OperationCounts } from "shared/core/operation";
import { newId } from "shared/db/ids";
import {
  advanceByCall,
  countOpenOperations,
  finishOperation,
  insertOperation,
  type NewOperation,
  type WorkingOperation,
} from "shared/db/operation/operation";
import type { Sql } from "shared/db/statement";
import type { RowCodec } from "shared/secrets/row-codec";
import type { Caller } from "../session/caller.ts";
import { conflict } from "../trpc/errors.ts";

export type Asked = Pick<NewOperation, "kind" | "total"> &
  Partial<Pick<NewOperation, "id" | "site_id" | "subject_id" | "force" | "position" | "asked_at">>;

/** Begins an operation of the caller in the transaction of the call. `input`: what its pages are found by. */
export const beginOperation = async (
  sql: Sql,
  { accountId, email }: Pick<Caller, "accountId" | "email">,
  { id = newId(), ...asked }: Asked,
  input?: { rows: RowCodec; of: object },
): Promise<WorkingOperation> =>
  await insertOperation(sql, {
    ...asked,
    id,
    account_id: accountId,
    created_by: email,
    input: input === undefined ? null : input.rows.seal(JSON.stringify(input.of), "operation.input", id),
  });

/** Refuses another operation while too many of the account are under way, of which `begun` are the call's own. @throws CONFLICT */
export async function refuseTooManyOperations(sql: Sql, accountId: string, begun = 0): Promise<void> {
  if ((await countOpenOperations(sql, accountId)) < mostOpenOperations + begun) return;
  throw conflict("{most} operations are under way: wait until one has finished, or stop one", { most: mostOpenOperations });
}

/** Records what a call has done as a whole. Answers the operation's id. */
export async function recordOperation(
  sql: Sql,
  caller: Pick<Caller, "accountId" | "email">,
  asked: Asked,
  changes: Partial<OperationCounts>,
): Promise<string> {
  const { id } = await beginOperation(sql, caller, asked);
  await advanceByCall(sql, id, { changes, without: asked.total });
  await finishOperation(sql, id);
  return id;
}
