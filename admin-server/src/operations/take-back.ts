import { cancelBackfill } from "shared/db/backfill";
import { removeItems } from "shared/db/operation/items";
import { advanceByCall, type WorkingOperation } from "shared/db/operation/operation";
import { takeBackRequests } from "shared/db/requested-event";
import { inTransaction, type Sql } from "shared/db/statement";
import { cancelOfOperation, delayAgain } from "shared/db/waiting/cancel";
import { giveUpReplayed } from "shared/db/webhook/log";

type Stopped = Pick<WorkingOperation, "id" | "kind">;

/** Takes back what has not left, some at a time; answers how many items it was. */
export async function takeBack(sql: Sql, { id, kind }: Stopped): Promise<number> {
  if (kind === "backfill") await cancelBackfill(sql, id);
  if (kind === "backfill" || kind === "replay") await takeBackRequests(sql, id);
  if (kind === "replay_deliveries") return await removeItems(sql, id, await giveUpReplayed(sql, id));
  const back = kind === "send_now" ? await delayAgain(sql, id) : await cancelOfOperation(sql, id);
  const ids = back.map((message) => message.id);
  return await removeItems(sql, id, ids);
}

/**
 * Takes back what has not left in the call that stops an operation: until a server works on it again, a hundred messages may have left. What that server queues
 * meanwhile, it takes back itself. Of a backfill, which queues little at a time, it does all.
 */
export async function takeBackAtOnce(sql: Sql, operation: Stopped): Promise<void> {
  if (operation.kind === "backfill") return;
  await inTransaction(sql, async (transaction) => {
    const takenBack = await takeBack(transaction, operation);
    await advanceByCall(transaction, operation.id, { takenBack });
  });
}
