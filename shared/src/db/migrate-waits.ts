import { setTimeout as sleep } from "node:timers/promises";

export const lockNotAvailable = "55P03";
const deadlock = "40P01";

export const hasCode = (error: unknown, codes: readonly string[]): boolean =>
  error instanceof Error && "code" in error && codes.some((code) => code === error.code);

/** How long a migration waits for a lock, while all others queue behind it: sooner than PostgreSQL looks for deadlocks and ends somebody else's transaction. */
export const shortly = "set local lock_timeout = '500ms'";
/** Ten minutes of them. */
const lockAttempts = 400;

/** What asks for a lock that a long transaction holds lets those who queue behind it go on, and tries again. */
export async function patiently<T>(act: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await act();
    } catch (error) {
      if (attempt === lockAttempts || !hasCode(error, [lockNotAvailable, deadlock])) throw error;
      await sleep(1_000);
    }
  }
}
