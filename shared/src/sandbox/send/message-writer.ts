import { randomBytes } from "node:crypto";
import { createLane } from "../../db/batch/lane.ts";
import type { Sql } from "../../db/statement.ts";
import type { Logger } from "../../server/logger.ts";
import { retry } from "../../server/retry.ts";
import { type SandboxCallback, insertSandboxMessages, type SandboxMessageRow } from "../store.ts";

interface NewMessage {
  row: SandboxMessageRow;
  callbacks: SandboxCallback[];
}

/** Stores messages that arrive together in one statement, and resolves after the commit. */
export type WriteMessage = ReturnType<typeof createMessageWriter>;

const retryMs = 250;
const retryForMs = 60_000;

export function createMessageWriter(sql: Sql, log: Logger) {
  const lane = createLane<NewMessage, void>({
    run: async (batch) => {
      await insertStubbornly(sql, log, batch);
      return batch.map(() => undefined);
    },
    maxItems: 500,
    splits: () => false,
  });
  return (message: NewMessage): Promise<void> => lane.add(message);
}

/** Repeats the statement while the database is away, so that a restart neither loses nor doubles a message. */
async function insertStubbornly(sql: Sql, log: Logger, batch: NewMessage[]): Promise<void> {
  const until = performance.now() + retryForMs;
  const rows = batch.map(({ row }) => row);
  const callbacks = batch.flatMap((message) => message.callbacks);
  await retry(() => insertSandboxMessages(sql, rows, callbacks), {
    pauseMs: () => retryMs,
    again: (error) => {
      const isWorthIt = performance.now() <= until;
      if (isWorthIt) log.warn({ err: error }, "messages could not be stored, trying again");
      return isWorthIt;
    },
  });
}

const bytesBefore = Buffer.from([0x1c, 0x18]);
const bytesAfter = Buffer.from([0x15, 0x02, 0x00, 0x11, 0x18, 0x12]);

/** A unique message id in the platform's form: `wamid.` and base64 of the recipient and a random part. */
export function newWamid(waId: string): string {
  const unique = randomBytes(9).toString("hex").toUpperCase();
  const parts = [bytesBefore, Buffer.from([waId.length]), Buffer.from(waId), bytesAfter, Buffer.from(unique), Buffer.from([0])];
  return `wamid.${Buffer.concat(parts).toString("base64")}`;
}
