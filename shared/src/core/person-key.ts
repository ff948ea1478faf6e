import { personOf } from "./phone.ts";
import type { SiteMode } from "./site.ts";

/** The text whose digest stands for a phone among an account's opt-outs: the same for every way of writing the number, another one in each account. */
export const optOutKey = (accountId: string, phone: string): string => `opt-out ${accountId} ${personOf(phone)}`;

/** The same for a person whose phone the platform hides, by its id for them. */
export const userKey = (accountId: string, userId: string): string => `platform user ${accountId} ${userId}`;

/** Messages of a test site wait in turns of their own, so that they neither hold up a person's live messages nor are held up by them. */
export const turnOf = (phoneHash: string, mode: SiteMode): string => (mode === "test" ? `test ${phoneHash}` : phoneHash);
