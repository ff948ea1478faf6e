import { once, setMaxListeners } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A way to a server (the database, the platform) that fails as the test says. */
export interface FaultProxy extends AsyncDisposable {
  /** The target's URL by way of the proxy. */
  readonly url: string;
  readonly open: number;
  setWeather(weather: Weather): void;
  /** Lets everything through again, and takes connections again. Lost bytes stay lost. */
  heal(): void;
  /** Resets every connection, or those that `which` picks. */
  cut(which?: () => boolean): void;
  /** Closes the server's ends; the clients' stay open, and nothing is ever heard on them again. */
  halfOpen(): void;
  /** Resets new connections until `heal`. */
  refuse(): void;
  /** Connects new connections to another server. */
  redirect(targetUrl: string): void;
}

export async function startFaultProxy(targetUrl: string): Promise<FaultProxy> {
  let target = new URL(targetUrl);
  const links = new Set<Link>();
  const state: { weather: Weather; refusing: boolean } = { weather: { kind: "clear" }, refusing: false };
  const changes = new EventTarget();
  setMaxListeners(0, changes);
  const sky: Sky = { weather: () => state.weather, changed: async () => once(changes, "change") };
  const setWeather = (weather: Weather): void => {
    state.weather = weather;
    changes.dispatchEvent(new Event("change"));
  };

  const server = createServer((client) => {
    if (state.refusing) return void client.resetAndDestroy();
    join(client, state.weather.kind === "blackhole" ? null : connect(Number(target.port), target.hostname), links, sky);
  });
  await listen(server);
  const url = new URL(targetUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url: url.href.replace(/\/$/, ""),
    get open() {
      return links.size;
    },
    setWeather,
    heal: () => {
      state.refusing = false;
      setWeather({ kind: "clear" });
    },
    cut: (which = () => true) => [...links].filter(which).forEach(reset),
    halfOpen: () => links.forEach(desert),
    refuse: () => void (state.refusing = true),
    redirect: (next) => void (target = new URL(next)),
    [Symbol.asyncDispose]: async () => {
      setWeather({ kind: "clear" });
      links.forEach(reset);
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function join(client: Socket, server: Socket | null, links: Set<Link>, sky: Sky): void {
  const link: Link = { client, server, lost: server === null };
  links.add(link);
  client.on("error", () => undefined).on("data", carry(link, "there", sky));
  client.on("close", () => {
    links.delete(link);
    server?.destroy();
  });
  server?.on("error", () => undefined).on("data", carry(link, "back", sky));
  server?.on("close", () => void (link.lost || client.destroy()));
}

const reset = ({ client, server }: Link): void => {
  client.resetAndDestroy();
  server?.resetAndDestroy();
};

const desert = (link: Link): void => {
  link.lost = true;
  link.server?.destroy();
};

async function listen(server: Server): Promise<void> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
}

/** The fate of bytes on their way. */
type Weather =
  | { kind: "clear" }
  /** Each piece waits; within a connection the order stays, and connections overtake each other. */
  | { kind: "delay"; ms: () => number }
  | { kind: "drip"; bytes: number; everyMs: number }
  /** Bytes are held, and delivered when it is over: a short interruption that TCP repairs. */
  | { kind: "stall" }
  /** Bytes are lost, and the connection with them, for ever, without a sign to either side. */
  | { kind: "blackhole" }
  /** Requests arrive and are done; the answers are lost, and the connection with them. */
  | { kind: "mute" };

/** One connection through the proxy. */
interface Link {
  readonly client: Socket;
  readonly server: Socket | null;
  /** True once nothing comes through any more, without a sign to either side. */
  lost: boolean;
}

interface Sky {
  weather(): Weather;
  /** Resolves with the next change of the weather. */
  changed(): Promise<unknown>;
}

/** Carries bytes one way, as the weather allows, in order. */
function carry(link: Link, direction: "there" | "back", sky: Sky): (bytes: Buffer) => void {
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
