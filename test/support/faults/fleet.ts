import { type GatewayProcess, spawnGateway, type SpawnOptions } from "../gateway/spawn-gateway.ts";

/** Gateways that are killed and started again, as by a supervisor. */
export interface Fleet extends AsyncDisposable {
  /** How many ended and were replaced. */
  readonly deaths: number;
  /** Kills the one in this place; false when none runs there at the moment. */
  kill(place: number): boolean;
}

/** `urls` is kept up to date: a place holds the address of the gateway that runs there, or of the one that ran there last. */
export async function startFleet(size: number, urls: string[], optionsOf: () => SpawnOptions): Promise<Fleet> {
  const running: GatewayProcess[] = [];
  const alive: boolean[] = [];
  let deaths = 0;
  let closing = false;

  const keepUp = async (place: number): Promise<void> => {
    while (!closing) {
      await running[place]?.ended;
      alive[place] = false;
      if (closing) return;
      deaths += 1;
      // A doomed one may die before it is up.
      const next = await spawnGateway(optionsOf());
      running[place] = next;
      urls[place] = next.url;
      alive[place] = true;
    }
  };
  for (let place = 0; place < size; place += 1) {
    const gateway = await spawnGateway(optionsOf());
    running.push(gateway);
    urls[place] = gateway.url;
    alive[place] = true;
  }
  const kept = running.map((_, place) => keepUp(place));
  return {
    get deaths() {
      return deaths;
    },
    kill: (place) => {
      if (alive[place] !== true) return false;
      alive[place] = false;
      running[place]?.kill("SIGKILL");
      return true;
    },
    [Symbol.asyncDispose]: async () => {
      closing = true;
      await Promise.all(running.map((gateway) => gateway[Symbol.asyncDispose]()));
      await Promise.all(kept);
      await Promise.all(running.map((gateway) => gateway[Symbol.asyncDispose]()));
    },
  };
}
