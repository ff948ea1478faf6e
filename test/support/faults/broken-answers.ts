import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { answer, refuse } from "../gateway/scripted-platform.ts";
import type { Random } from "./random.ts";
import type { Conduct } from "./telling-platform.ts";

type Answer = (response: ServerResponse, id: string) => void;

const accepted = (id: string): string => JSON.stringify({ messaging_product: "whatsapp", messages: [{ id }] });

/** Answers after which nobody can tell whether the message was taken. */
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

/** Answers that say plainly that it was not taken. */
const refusing: Record<string, Answer> = {
  "JSON 500": (response) => refuse(response, 500, 131000),
  "429": (response) => refuse(response, 429, 130429),
  "HTML 404": (response) => void response.writeHead(404, { "Content-Type": "text/html" }).end("<html>Not found</html>"),
  "a recipient's refusal": (response) => refuse(response, 400, 131026),
};

/** Answers that come, in time, in an odd way. */
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
