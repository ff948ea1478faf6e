import type { Pool } from "shared/db/connect";
import { waitFor } from "../wait-for.ts";
import { answerViolations } from "./answer-violations.ts";
import { historyViolations } from "./history.ts";
import type { Ledger } from "./ledger.ts";
import { messageViolations } from "./message-violations.ts";
import type { TellingPlatform } from "./telling-platform.ts";

/** The longest that anything may need to come right by itself after a fault has ended. */
export const recoveryMs = 30_000;

export interface Witnesses {
  sql: Pool;
  ledger: Ledger;
  platform: Pick<TellingPlatform, "taken" | "told">;
  /** The error codes (with ` again` after a second attempt) for which a message may have been missed; none: everybody must have got it. Null: any code, but there must be one. */
  excuses: readonly string[] | null;
}

/** Waits until everything has come right, and answers every breach of an invariant; see test/faults/README.md. */
export async function violations({ sql, ledger, platform, excuses }: Witnesses): Promise<string[]> {
  await waitFor("every event to be finished", async () => (await unfinished(sql)) === 0, recoveryMs);
  await platform.told();
  return [
    ...(await answerViolations(sql, ledger)),
    ...(await messageViolations(sql, ledger, platform.taken, excuses)),
    ...(await historyViolations(sql)),
  ].slice(0, 20);
}

async function unfinished(sql: Pool): Promise<number> {
  const [row] = await sql<{ n: number }[]>`select count(*)::integer as n from event where lease_until is not null`;
  return row?.n ?? 0;
}
