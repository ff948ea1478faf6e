import { setTimeout as sleep } from "node:timers/promises";
import { postUpdates } from "../gateway/post-callback.ts";
import type { SendBody } from "../gateway/scripted-platform.ts";
import type { Shop } from "../gateway/shop.ts";
import type { Random } from "./random.ts";

/** The platform's way of reporting: several statuses a callback, in any order, some twice, again until it hears a 200. */
export interface CallbackPost extends AsyncDisposable {
  report(body: SendBody, id: string, statuses: readonly string[]): void;
  /** Resolves when everything reported so far has been acknowledged. */
  delivered(): Promise<void>;
}

interface Options {
  random: Random;
  /** Any shop of the account. */
  shop: Shop;
  gateways: () => readonly string[];
}

const postersAtOnce = 3;
const mostAtOnce = 40;

export function startCallbackPost({ random, shop, gateways }: Options): CallbackPost {
  const waiting: object[] = [];
  const state = { underWay: 0, closing: false };

  const postOne = async (updates: object[]): Promise<boolean> => {
    const response = await postUpdates({ url: random.pick(gateways()) }, shop, updates).catch(() => null);
    await response?.arrayBuffer().catch(() => undefined);
    return response?.status === 200;
  };
  const poster = async (): Promise<void> => {
    while (!state.closing) {
      const updates = gateways().length === 0 ? [] : waiting.splice(0, random.whole(1, mostAtOnce));
      if (updates.length === 0) {
        await sleep(10);
        continue;
      }
      state.underWay += 1;
      const heard = await postOne(updates);
      if (!heard) waiting.push(...updates);
      state.underWay -= 1;
      if (!heard) await sleep(50);
    }
  };
  const posters = Array.from({ length: postersAtOnce }, poster);
  return {
    report: (body, id, statuses) => {
      const twice = random.often(0.2) ? statuses : [];
      for (const status of random.shuffle([...statuses, ...twice]))
        waiting.splice(random.whole(0, waiting.length), 0, toUpdate(body, id, status));
    },
    delivered: async () => {
      while (waiting.length > 0 || state.underWay > 0) await sleep(10);
    },
    [Symbol.asyncDispose]: async () => {
      state.closing = true;
      await Promise.all(posters);
    },
  };
}

const toUpdate = (body: SendBody, id: string, status: string): object => ({
  id,
  status,
  timestamp: String(Math.floor(Date.now() / 1000)),
  recipient_id: body.to.slice(1),
  biz_opaque_callback_data: body.biz_opaque_callback_data,
});
