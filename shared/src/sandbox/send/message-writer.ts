import { setTimeout as sleep } from "node:timers/promises";
import type { Sql } from "../../db/connect.ts";
import { createLane } from "../../db/lane.ts";
import type { SandboxCallback } from "../../db/tables/sandbox/callback.ts";
import { insertSandboxMessages, type SandboxMessageRow } from "../../db/tables/sandbox/message.ts";
import type { Logger } from "../../server/logger.ts";

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
  for (;;) {
    try {
      return await insertSandboxMessages(
        sql,
        batch.map(({ row }) => row),
        batch.flatMap(({ callbacks }) => callbacks),
      );
    } catch (error) {
      if (performance.now() > until) throw error;
      log.warn({ err: error }, "messages could not be stored, trying again");
      await sleep(RETRY_MS);
    }
  }
}
