import { setTimeout as sleep } from "node:timers/promises";
import { signBody } from "shared/secrets/signature";
import { Agent, request } from "undici";
import { shopHeaders } from "../../support/shop-requests.ts";
import { waitFor } from "../../support/wait-for.ts";
import type { Delivery } from "./traffic.ts";

/** The answers that senders have had so far. */
export interface Tally {
  /** How often each outcome (`chat`) was answered. */
  readonly outcomes: Record<string, number>;
  /** How often there was which 5xx or lost connection; each request was tried again with the same key. */
  readonly failures: Record<string, number>;
}

export interface Sender extends AsyncDisposable {
  readonly tally: Tally;
  /** Resolves once some have been taken from now on. */
  underWay(): Promise<unknown>;
  /** Sends, as often as it takes, some at once; throws on a refusal. */
  send(deliveries: Iterable<Delivery>): Promise<void>;
  /** Sends once; answers status and body. */
  try(delivery: Delivery): Promise<{ status: number; json: Record<string, unknown> }>;
}

const atOnce = 64;
const few = 10;
const patienceMs = 60_000;
const pauseMs = 200;

/** Senders as customers have them: a 5xx or a lost connection is tried again with the same key. */
export function createSender(gatewayUrl: string): Sender {
  const dispatcher = new Agent({ connections: atOnce, headersTimeout: 20_000, bodyTimeout: 20_000 });
  const tally: Tally = { outcomes: {}, failures: {} };
  const post = async (delivery: Delivery) => {
    const { site, door, name, body } = delivery;
    const url = door === "in" ? site.inboundUrl : `${gatewayUrl}/api/public/ingest/${site.sourceType}/${name}`;
    const answer = await request(url, { method: "POST", dispatcher, body, headers: headersOf(delivery) });
    return { status: answer.statusCode, json: JSON.parse(await answer.body.text()) as Record<string, unknown> };
  };
  const taken = (): number => Object.values(tally.outcomes).reduce((sum, count) => sum + count, 0);
  const persist = async (delivery: Delivery): Promise<void> => {
    for (const until = performance.now() + patienceMs; ; await sleep(pauseMs)) {
      const { status, json } = await post(delivery).catch((error: unknown) => ({ status: 0, json: { error: String(error) } }));
      if (status === 200 || status === 202) {
        const outcome = String((json as Record<string, unknown>)["chat"]);
        tally.outcomes[outcome] = (tally.outcomes[outcome] ?? 0) + 1;
        return;
      }
      if (status !== 0 && status < 500)
        throw new Error(`${delivery.name} of ${delivery.site.name} was refused: ${status} ${JSON.stringify(json)}`);
      const failure = `${status} ${JSON.stringify(json)}`;
      tally.failures[failure] = (tally.failures[failure] ?? 0) + 1;
      if (performance.now() > until) throw new Error(`${delivery.name} of ${delivery.site.name} was not taken: ${failure}`);
    }
  };
  return {
    tally,
    underWay: () => {
      const before = taken();
      return waitFor("events to be under way", () => taken() > before + few);
    },
    try: post,
    async send(deliveries) {
      const queue = deliveries[Symbol.iterator]();
      const work = async (): Promise<void> => {
        for (let next = queue.next(); next.done !== true; next = queue.next()) await persist(next.value);
      };
      await Promise.all(Array.from({ length: atOnce }, work));
    },
    [Symbol.asyncDispose]: () => dispatcher.close(),
  };
}

const headersOf = ({ site, door, name, body, id, headers }: Delivery): Record<string, string> =>
  door === "in"
    ? shopHeaders(site, body, { topic: name, id })
    : {
        "Content-Type": "application/json",
        "X-Service-Site-Key": site.apiKey,
        "X-Service-Signature": signBody(site.webhookSecret, Buffer.from(body)),
        "X-Service-Timestamp": String(Math.floor(Date.now() / 1000)),
        "X-Service-Idempotency-Key": id,
        ...headers,
      };
