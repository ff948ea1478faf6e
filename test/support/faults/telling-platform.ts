import type { ServerResponse } from "node:http";
import { newMessageId, type ReceivedSend, type SendBody, startScriptedPlatform } from "../gateway/scripted-platform.ts";
import type { Shop } from "../gateway/shop.ts";
import { startCallbackPost } from "./callback-post.ts";
import type { Random } from "./random.ts";

/** A message that the platform took: its recipient has it. */
export interface Taken {
  id: string;
  body: SendBody;
}

/** What the platform does with one send: whether it takes it, and how it answers (null: as it should). */
export interface Conduct {
  takes: boolean;
  answer: ((response: ServerResponse, id: string) => void) | null;
}

export interface TellingPlatform extends AsyncDisposable {
  url: string;
  /** Everything that reached it, taken or not. */
  sends: ReceivedSend[];
  taken: Taken[];
  /** From now on; takes everything and says so until then. */
  behave(conduct: (send: ReceivedSend) => Conduct): void;
  /** What it reported, or will report, of a message. */
  said(id: string): readonly string[];
  /** Resolves when every status of every message taken so far has been acknowledged. */
  told(): Promise<void>;
}

/** A platform that reports what becomes of each message it took. */
export async function startTellingPlatform(options: {
  random: Random;
  shop: Shop;
  gateways: () => readonly string[];
}): Promise<TellingPlatform> {
  const { random } = options;
  const platform = await startScriptedPlatform();
  const post = startCallbackPost(options);
  const taken: Taken[] = [];
  const said = new Map<string, string[]>();
  let conduct: (send: ReceivedSend) => Conduct = () => ({ takes: true, answer: null });

  platform.script((send, response) => {
    const { takes, answer } = conduct(send);
    const id = newMessageId();
    if (takes) {
      taken.push({ id, body: send.body });
      const statuses = ["sent", "delivered", ...(random.often(0.3) ? ["read"] : [])];
      said.set(id, statuses);
      post.report(send.body, id, statuses);
    }
    if (answer === null) return id;
    answer(response, id);
    return undefined;
  });
  return {
    url: platform.url,
    sends: platform.sends,
    taken,
    behave: (next) => void (conduct = next),
    said: (id) => said.get(id) ?? [],
    told: async () => post.delivered(),
    [Symbol.asyncDispose]: async () => {
      await post[Symbol.asyncDispose]();
      await platform[Symbol.asyncDispose]();
    },
  };
}
