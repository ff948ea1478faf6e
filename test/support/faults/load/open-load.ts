import { setTimeout as sleep } from "node:timers/promises";
import { signBody } from "shared/signature/sign";
import { Pool } from "undici";
import type { Sender } from "../../gateway/post-event.ts";
import type { Random } from "../random.ts";

/** One site's part of the load. */
export interface Stream<Site extends Sender> {
  site: Site;
  perSecond: number;
}

/** One request, and what came of it. */
export interface Asked<Site extends Sender> {
  site: Site;
  key: string;
  phone: string;
  /** Null: the connection broke. */
  status: number | null;
  retryAfter: string | null;
  body: string;
  /** Milliseconds from the request to the end of its answer. */
  ms: number;
}

export interface OpenLoad<Site extends Sender> {
  /** In the order of the answers. */
  asked: Asked<Site>[];
  /** Requests made so far. */
  readonly made: number;
  /** Makes no more requests; resolves when each has its answer. */
  end(): Promise<void>;
}

/**
 * Requests that come when they come, at random moments, whether or not earlier ones have been answered: what the world does, and clients that wait
 * for their answers do not.
 */
export function startOpenLoad<Site extends Sender>(url: string, random: Random, streams: readonly Stream<Site>[], name: string): OpenLoad<Site> {
  const pool = new Pool(url, { connections: null, pipelining: 1, headersTimeout: 60_000, bodyTimeout: 60_000 });
  const asked: Asked<Site>[] = [];
  const open = new Set<Promise<void>>();
  let made = 0;
  let ending = false;

  const ask = (site: Site): void => {
    made += 1;
    const one = askOnce(pool, site, `${name}-${made}`, `+1777${String(1_000_000 + made)}`).then((answer) => void asked.push(answer));
    open.add(one);
    void one.finally(() => open.delete(one));
  };
  const run = async ({ site, perSecond }: Stream<Site>): Promise<void> => {
    for (let due = performance.now() + gap(random, perSecond); ; due += gap(random, perSecond)) {
      const wait = due - performance.now();
      if (wait > 0) await sleep(wait);
      if (ending) return;
      ask(site);
    }
  };
  const running = streams.map(run);
  return {
    asked,
    get made() {
      return made;
    },
    end: async () => {
      ending = true;
      await Promise.all(running);
      await Promise.all(open);
      await pool.close();
    },
  };
}

/** Milliseconds to the next request, as when many independent people ask. */
const gap = (random: Random, perSecond: number): number => (-Math.log(1 - random.next()) * 1000) / perSecond;

async function askOnce<Site extends Sender>(pool: Pool, site: Site, key: string, phone: string): Promise<Asked<Site>> {
  const payload = JSON.stringify({ customer: { first_name: "Ada", phone_e164: phone }, order: { id: key } });
  const headers = {
    "Content-Type": "application/json",
    "X-Service-Site-Key": site.key,
    "X-Service-Signature": signBody(site.secret, Buffer.from(payload)),
    "X-Service-Timestamp": String(Math.floor(Date.now() / 1000)),
    "X-Service-Idempotency-Key": key,
  };
  const since = performance.now();
  const answered = await pool
    .request({ path: "/api/public/ingest/generic/order.created", method: "POST", headers, body: payload })
    .then(async (response) => ({
      status: response.statusCode,
      retryAfter: String(response.headers["retry-after"] ?? "") || null,
      body: await response.body.text(),
    }))
    .catch(() => ({ status: null, retryAfter: null, body: "" }));
  return { site, key, phone, ...answered, ms: performance.now() - since };
}
