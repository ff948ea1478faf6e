import { once, setMaxListeners } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { carry, type Link, type Sky, type Weather } from "./link.ts";

/** A way to a server (the database, the platform) that fails as the test says. */
export interface FaultProxy extends AsyncDisposable {
  /** The target's URL, by way of the proxy. */
  readonly url: string;
  readonly open: number;
  setWeather(weather: Weather): void;
  /** Clear weather, and connections are taken again. What is lost stays lost. */
  heal(): void;
  /** Resets every connection, or those that `which` picks. */
  cut(which?: () => boolean): void;
  /** The server's ends are closed; the clients' stay open, and nothing is ever heard on them again. */
  halfOpen(): void;
  /** New connections are reset until `heal`. */
  refuse(): void;
  /** New connections go to another server. */
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
