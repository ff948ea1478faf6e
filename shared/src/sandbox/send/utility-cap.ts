import { dayMs } from "../../core/durations.ts";
import type { Sql } from "../../db/statement.ts";
import { listAcceptedAt, type SandboxAccount } from "../store.ts";

/** Whether an account that is limited for wrong categories may send one more utility message; if so, it counts. The last 24 hours count, in any order of sends. */
export type UtilityCap = ReturnType<typeof createUtilityCap>;

export function createUtilityCap(sql: Sql) {
  /** When the newest messages of each limited account were accepted, oldest first. */
  const windows = new Map<string, { cap: number; accepted: Promise<number[]> }>();
  return async ({ wabaId, phoneNumberId, state: { utilityCap: cap } }: SandboxAccount, now: number): Promise<boolean> => {
    if (cap === null) {
      windows.delete(wabaId);
      return true;
    }
    const known = windows.get(wabaId);
    const accept = () => listAcceptedAt(sql, phoneNumberId, "UTILITY", new Date(now - dayMs), Math.max(cap, 1));
    const window = known?.cap === cap ? known : { cap, accepted: accept() };
    windows.set(wabaId, window);
    const accepted = await window.accepted.catch((error: unknown) => {
      windows.delete(wabaId);
      throw error;
    });
    while ((accepted[0] ?? now) <= now - dayMs) accepted.shift();
    if (accepted.length >= cap) return false;
    accepted.push(now);
    return true;
  };
}
