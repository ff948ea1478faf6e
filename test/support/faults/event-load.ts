import { setTimeout as sleep } from "node:timers/promises";
import { type Posted, postEvent } from "../gateway/post-event.ts";
import { emptyLedger, type Ledger, type LedgerEntry, type LoadedShop } from "./ledger.ts";
import type { Random } from "./random.ts";

export interface LoadOptions {
  random: Random;
  shops: readonly LoadedShop[];
  /** Where to post; one is picked for each try, as a load balancer would. */
  gateways: () => readonly string[];
  events: number;
  clients: number;
  /** Bytes that each event carries beside what it needs. */
  ballast?: number | undefined;
  /** False: no timestamp header, for clocks that do not agree. */
  timestamps?: boolean | undefined;
  name?: string | undefined;
}

export interface RunningLoad {
  ledger: Ledger;
  /** Resolves when every client has the answer to every event. */
  done: Promise<void>;
}

/**
 * Clients that do as the spec asks: after a 5xx or a network error the same event again, with the same key, until it is answered. A fifth of the
 * events is posted once more afterwards, and a tenth twice at once.
 */
export function startLoad(options: LoadOptions): RunningLoad {
  const ledger = emptyLedger();
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < options.events) {
      const entry = makeEntry((next += 1), options);
      ledger.entries.push(entry);
      await Promise.all(Array.from({ length: options.random.often(0.1) ? 2 : 1 }, async () => postUntilAnswered(entry, options, ledger)));
      ledger.answered += 1;
      if (options.random.often(0.2)) await postUntilAnswered(entry, options, ledger);
    }
  };
  return { ledger, done: Promise.all(Array.from({ length: options.clients }, client)).then(() => undefined) };
}

function makeEntry(n: number, { random, shops, name = "event" }: LoadOptions): LedgerEntry {
  const { shop, phones } = random.pick(shops);
  return { key: `${name}-${n}`, shop, recipients: phones ?? [`+1555${String(1_000_000 + n)}`], answers: [] };
}

async function postUntilAnswered(entry: LedgerEntry, options: LoadOptions, ledger: Ledger): Promise<void> {
  const { random, gateways, ballast = 0, timestamps = true } = options;
  const payload = { customer: { first_name: "Ada", phone_e164: entry.recipients[0] }, order: { id: entry.key }, data: "x".repeat(ballast) };
  const headers = { "X-Service-Idempotency-Key": entry.key, ...(!timestamps && { "X-Service-Timestamp": null }) };
  for (let pause = 20; ; pause = Math.min(2 * pause, 500)) {
    ledger.requests += 1;
    const posted = await postEvent({ url: random.pick(gateways()) }, entry.shop, payload, { headers }).catch(() => null);
    if (posted?.status === 200) return void entry.answers.push(posted);
    ledger.refused += 1;
    if (posted !== null && !asksToComeBack(posted)) ledger.unexpected.push(`${entry.key}: ${posted.status} ${posted.body}`);
    await sleep(pause * (0.5 + random.next()));
  }
}

const asksToComeBack = ({ status, headers }: Posted): boolean => status === 503 && /^\d+$/.test(headers.get("retry-after") ?? "");
