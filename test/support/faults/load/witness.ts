import type { Pool } from "shared/db/connect";
import type { Shop } from "../../gateway/shop.ts";
import { emptyLedger, type Ledger } from "../ledger.ts";
import type { Asked } from "./asker.ts";

export const isAnswered = ({ status }: Asked<Shop>): boolean => status === 200;

/** What the clients know, for the invariants: an event that was refused is none of theirs. */
export function toLedger(asked: readonly Asked<Shop>[]): Ledger {
  const entries = asked.filter(isAnswered).map(({ key, site, phone, body }) => ({
    key,
    shop: site,
    recipients: [phone],
    answers: [{ status: 200, body, json: JSON.parse(body) as Record<string, unknown>, headers: new Headers() }],
  }));
  return { ...emptyLedger(), entries, requests: asked.length, answered: entries.length, refused: asked.length - entries.length };
}

/** What is neither answered nor refused as it should be: asked to come back, and with nothing left behind. */
export async function refusalProblems(sql: Pool, asked: readonly Asked<Shop>[]): Promise<string[]> {
  const refused = asked.filter((one) => !isAnswered(one));
  const stored = new Set((await sql<{ key: string }[]>`select idempotency_key as key from event`).map(({ key }) => key));
  return [
    ...refused.filter((one) => !asksToComeBack(one)).map(({ key, status, body }) => `${key} was answered ${status} ${body}`),
    ...refused.filter(({ key }) => stored.has(key)).map(({ key, body }) => `${key} was refused (${body}), and is stored`),
  ];
}

const asksToComeBack = ({ status, retryAfter }: Asked<Shop>): boolean => status === 503 && /^[1-9]\d*$/.test(retryAfter ?? "");
