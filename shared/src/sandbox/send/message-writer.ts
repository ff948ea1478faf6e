import { randomBytes } from "node:crypto";
import { createLane } from "../../db/batch/lane.ts";
import type { Sql } from "../../db/connect.ts";
import type { Logger } from "../../server/logger.ts";
import { retry } from "../../server/retry.ts";
import { type SandboxCallback, insertSandboxMessages, type SandboxMessageRow } from "../store.ts";

export interface NewMessage {
  row: SandboxMessageRow;
  callbacks: SandboxCallback[];
}

/** Stores messages; resolves after the commit. */
export interface MessageWriter {
  write(message: NewMessage): Promise<void>;
}

const RETRY_MS = 250;
const RETRY_FOR_MS = 60_000;

/** Messages that arrive together are stored by one statement. */
export function createMessageWriter(sql: Sql, log: Logger): MessageWriter {
  const lane = createLane<NewMessage, void>({
    run: async (batch) => {
      await insertStubbornly(sql, log, batch);
      return batch.map(() => undefined);
    },
    maxItems: 500,
    splits: () => false,
  });
  return { write: async (message) => lane.add(message) };
}

// A platform does not lose or double a message because its database restarts: the statement may be repeated until it holds.
async function insertStubbornly(sql: Sql, log: Logger, batch: NewMessage[]): Promise<void> {
  const until = performance.now() + RETRY_FOR_MS;
  const rows = batch.map(({ row }) => row);
  const callbacks = batch.flatMap((message) => message.callbacks);
  await retry(() => insertSandboxMessages(sql, rows, callbacks), {
    pauseMs: () => RETRY_MS,
    again: (error) => {
      const isWorthIt = performance.now() <= until;
      if (isWorthIt) log.warn({ err: error }, "messages could not be stored, trying again");
      return isWorthIt;
    },
  });
}

const BEFORE = Buffer.from([0x1c, 0x18]);
const AFTER = Buffer.from([0x15, 0x02, 0x00, 0x11, 0x18, 0x12]);

/** A message id in the platform's form: `wamid.` and base64 over the recipient and a random part. Unique per call. */
export function newWamid(waId: string): string {
  const unique = randomBytes(9).toString("hex").toUpperCase();
  const parts = [BEFORE, Buffer.from([waId.length]), Buffer.from(waId), AFTER, Buffer.from(unique), Buffer.from([0])];
  return `wamid.${Buffer.concat(parts).toString("base64")}`;
}
