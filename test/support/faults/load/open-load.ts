import { setTimeout as sleep } from "node:timers/promises";
import type { Sender } from "../../gateway/post-event.ts";
import type { Random } from "../random.ts";
import { type Asked, createAsker } from "./asker.ts";

export interface OpenLoadOptions<Site extends Sender> {
  random: Random;
  /** Each site's part of the load. */
  streams: readonly { site: Site; perSecond: number }[];
  /** In every key. */
  name: string;
  /** Opened before the first event, as a load balancer has them; more follow when these do not suffice. */
  connections: number;
}

export interface OpenLoad<Site extends Sender> {
  /** In the order of the answers. */
  asked: Asked<Site>[];
  /** Events posted so far. */
  readonly posted: number;
  /** Posts no more; resolves when each has its answer. */
  end(): Promise<void>;
}

/**
 * Events that come when they come, at random moments, whether or not earlier ones have been answered: what the world does, and clients that wait for
 * their answers do not. A refused one does not come again.
 */
export async function startOpenLoad<Site extends Sender>(
  url: string,
  { random, streams, name, connections }: OpenLoadOptions<Site>,
): Promise<OpenLoad<Site>> {
  const asker = createAsker(url, name);
  await asker.connect(connections);
  const asked: Asked<Site>[] = [];
  const open = new Set<Promise<void>>();
  let posted = 0;
  let ending = false;

  const post = (site: Site): void => {
    posted += 1;
    const one = asker.ask(site).then((answer) => void asked.push(answer));
    open.add(one);
    void one.finally(() => open.delete(one));
  };
  const run = async ({ site, perSecond }: (typeof streams)[number]): Promise<void> => {
    for (let due = performance.now() + gap(random, perSecond); ; due += gap(random, perSecond)) {
      const wait = due - performance.now();
      if (wait > 0) await sleep(wait);
      if (ending) return;
      post(site);
    }
  };
  const running = streams.map(run);
  return {
    asked,
    get posted() {
      return posted;
    },
    end: async () => {
      ending = true;
      await Promise.all(running);
      await Promise.all(open);
      asker[Symbol.dispose]();
    },
  };
}

/** Milliseconds to the next event, as when many independent people buy. */
const gap = (random: Random, perSecond: number): number => (-Math.log(1 - random.next()) * 1000) / perSecond;
