import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Shop } from "../../support/gateway.ts";
import { answer, refuse, newMessageId, type ReceivedSend, type SendBody, startScriptedPlatform } from "../../support/platform.ts";
import { postUpdates } from "../../support/requests.ts";
import type { Random } from "./scale.ts";

type Answer = (response: ServerResponse, id: string) => void;

const accepted = (id: string): string => JSON.stringify({ messaging_product: "whatsapp", messages: [{ id }] });

/** Answers that leave open whether the message was taken. */
const doubtful: Record<string, Answer> = {
  reset: (response) => void response.socket?.resetAndDestroy(),
  hang: () => undefined,
  "HTML 502": (response) => void response.writeHead(502, { "Content-Type": "text/html" }).end("<html>Bad gateway</html>"),
  "half an answer": (response, id) => {
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": accepted(id).length });
    response.write(accepted(id).slice(0, 20), () => response.socket?.resetAndDestroy());
  },
  "no JSON": (response) => void response.writeHead(200, { "Content-Type": "application/json" }).end("OK"),
  "200 without id": (response) => answer(response, 200, { messages: [] }),
  "200 with an error": (response) => refuse(response, 200, 131000),
};

/** Answers that plainly say that the message was not taken. */
const refusing: Record<string, Answer> = {
  "JSON 500": (response) => refuse(response, 500, 131000),
  "429": (response) => refuse(response, 429, 130429),
  "HTML 404": (response) => void response.writeHead(404, { "Content-Type": "text/html" }).end("<html>Not found</html>"),
  "a recipient's refusal": (response) => refuse(response, 400, 131026),
};

/** Answers that come in time, but in an odd form. */
const odd: Record<string, Answer> = {
  drip: (response, id) => void drip(response, accepted(id)),
  late: (response, id) => void sleep(300).then(() => response.end(accepted(id))),
};

async function drip(response: ServerResponse, text: string): Promise<void> {
  response.writeHead(200, { "Content-Type": "application/json" });
  for (const character of text) {
    response.write(character);
    await sleep(3);
  }
  response.end();
}

/** Breaks `share` of the answers, whether or not the message was taken; counts each kind in `counts`. */
export function breakAnswers(random: Random, share: number, counts: Record<string, number>): () => Conduct {
  const pick = (kinds: Record<string, Answer>): Answer => {
    const [name, chosen] = random.pick(Object.entries(kinds));
    counts[name] = (counts[name] ?? 0) + 1;
    return chosen;
  };
  return () => {
    if (!random.often(share)) return { takes: true, answer: null };
    const kind = random.pick(["doubtful", "refusing", "odd"]);
    if (kind === "odd") return { takes: true, answer: pick(odd) };
    return kind === "refusing" ? { takes: false, answer: pick(refusing) } : { takes: random.often(0.5), answer: pick(doubtful) };
  };
}

/** A message that the platform took: its recipient has it. Instants are of `performance.now()`. */
export interface Taken {
  id: string;
  body: SendBody;
  at?: number;
  /** When a gateway first acknowledged a report of it. */
  heardAt?: number;
}

/** The platform's conduct at one send: whether it takes the message, and how it answers (null: as it should). */
interface Conduct {
  takes: boolean;
  answer: ((response: ServerResponse, id: string) => void) | null;
}

export interface TellingPlatform extends AsyncDisposable {
  url: string;
  /** Every send that reached it, taken or not. */
  sends: ReceivedSend[];
  taken: Taken[];
  /** Sets the conduct from now on; until then it takes everything and says so. */
  behave(conduct: (send: ReceivedSend) => Conduct): void;
  /** The statuses that it reported, or will report, of a message. */
  said(id: string): readonly string[];
  /** Resolves when every status of every message taken so far has been acknowledged. */
  told(): Promise<void>;
}

/** A platform that reports the statuses of each message that it took. */
export async function startTellingPlatform(options: {
  random: Random;
  shop: Shop;
  gateways: () => readonly string[];
}): Promise<TellingPlatform> {
  const { random } = options;
  const platform = await startScriptedPlatform();
  const taken: Taken[] = [];
  const byId = new Map<string, Taken>();
  const post = startCallbackPost({
    ...options,
    onHeard: (id) => {
      const message = byId.get(id);
      if (message !== undefined) message.heardAt ??= performance.now();
    },
  });
  const said = new Map<string, string[]>();
  let conduct: (send: ReceivedSend) => Conduct = () => ({ takes: true, answer: null });

  platform.script((send, response) => {
    const { takes, answer } = conduct(send);
    const id = newMessageId();
    if (takes) {
      const message = { id, body: send.body, at: performance.now() };
      taken.push(message);
      byId.set(id, message);
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

/** Reports like the platform: several statuses in a callback, in any order, some twice, repeated until it gets a 200. */
export interface CallbackPost extends AsyncDisposable {
  report(body: SendBody, id: string, statuses: readonly string[]): void;
  /** Resolves when everything reported so far has been acknowledged. */
  delivered(): Promise<void>;
}

interface Options {
  random: Random;
  /** One of the account's shops. */
  shop: Shop;
  gateways: () => readonly string[];
  /** Told of each message of which a report was acknowledged. */
  onHeard?: (id: string) => void;
}

const postersAtOnce = 3;
const mostAtOnce = 40;

function startCallbackPost({ random, shop, gateways, onHeard }: Options): CallbackPost {
  const waiting: Update[] = [];
  const state = { underWay: 0, closing: false };

  const postOne = async (updates: Update[]): Promise<boolean> => {
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
      if (heard) for (const { id } of updates) onHeard?.(id);
      else waiting.push(...updates);
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

type Update = ReturnType<typeof toUpdate>;

const toUpdate = (body: SendBody, id: string, status: string) => ({
  id,
  status,
  timestamp: String(Math.floor(Date.now() / 1000)),
  recipient_id: body.to.slice(1),
  biz_opaque_callback_data: body.biz_opaque_callback_data,
});
