import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** What happens to bytes on their way. */
export type Weather =
  | { kind: "clear" }
  /** Each piece waits; within a connection the order stays, and connections overtake each other. */
  | { kind: "delay"; ms: () => number }
  | { kind: "drip"; bytes: number; everyMs: number }
  /** Held, and delivered when it is over: a short interruption that TCP mends. */
  | { kind: "stall" }
  /** Lost, and with them the connection, for ever, without either side being told. */
  | { kind: "blackhole" }
  /** Requests arrive and are done; the answers are lost, and with them the connection. */
  | { kind: "mute" };

/** One connection through the proxy. */
export interface Link {
  readonly client: Socket;
  readonly server: Socket | null;
  /** Nothing comes through any more, and nobody is told. */
  lost: boolean;
}

export interface Sky {
  weather(): Weather;
  /** Resolves with the next change of the weather. */
  changed(): Promise<unknown>;
}

/** Carries bytes one way, as the weather allows, in order. */
export function carry(link: Link, direction: "there" | "back", sky: Sky): (bytes: Buffer) => void {
  const waiting: Buffer[] = [];
  let busy = false;
  const to = (): Socket | null => (direction === "there" ? link.server : link.client);

  const pass = async (bytes: Buffer): Promise<void> => {
    while (sky.weather().kind === "stall") await sky.changed();
    const weather = sky.weather();
    if (weather.kind === "blackhole" || (weather.kind === "mute" && direction === "back")) link.lost = true;
    if (weather.kind === "delay") await sleep(weather.ms());
    for (const piece of weather.kind === "drip" ? pieces(bytes, weather.bytes) : [bytes]) {
      if (weather.kind === "drip" && sky.weather() === weather) await sleep(weather.everyMs);
      if (!link.lost) to()?.write(piece);
    }
  };
  const run = async (): Promise<void> => {
    busy = true;
    for (let bytes = waiting.shift(); bytes; bytes = waiting.shift()) await pass(bytes);
    busy = false;
  };
  return (bytes) => {
    waiting.push(bytes);
    if (!busy) void run();
  };
}

const pieces = (bytes: Buffer, size: number): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
