import { describe, expect, it, onTestFinished } from "vitest";
import type { RunningProcess } from "../support/process.ts";
import { waitFor } from "../support/wait-for.ts";
import { untilSound } from "./harness/invariants.ts";
import { startLoad } from "./harness/load.ts";
import { scenarioRandom } from "./harness/scale.ts";
import { openWorld, startMain, urlOf } from "./harness/world.ts";

describe("sigterm", () => {
  const events = 3_000;
  const restarts = 20;

  it("gateways that are told to stop under load, one after the other, finish what they hold and end with 0", async () => {
    const random = scenarioRandom(601);
    await using world = await openWorld(random);
    const start = async (place: number): Promise<RunningProcess> => {
      const gateway = startMain(world);
      onTestFinished(async () => gateway[Symbol.asyncDispose]());
      world.gateways[place] = await urlOf(gateway);
      return gateway;
    };
    const running = [await start(0), await start(1)];
    const { ledger, done } = startLoad({ random, shops: world.shops, gateways: () => world.gateways, events, clients: 12 });

    const ends: unknown[] = [];
    for (let restart = 1; restart <= restarts; restart += 1) {
      await waitFor("the next stop", () => ledger.answered >= Math.floor((restart * events) / (restarts + 2)), 120_000);
      const place = restart % 2;
      const stopping = running[place];
      const next = start(place);
      ends.push(await stopping?.kill("SIGTERM"), stopping?.stderr());
      running[place] = await next;
    }
    await done;
    for (const gateway of running) ends.push(await gateway.kill("SIGTERM"), gateway.stderr());
    expect(ends).toEqual(Array.from({ length: restarts + 2 }, () => [{ code: 0, signal: null }, ""]).flat());
    // No gateway is left to take anything over: an event that is unfinished now was lost by a stop.
    const left = await world.sql`select id from event where chat is null union select id from event_due`;
    expect(left).toEqual([]);
    await using last = startMain(world);
    world.gateways.splice(0, 2, await urlOf(last));
    await untilSound("SIGTERM under load", { ...world, ledger, random, excuses: [], counts: { events, stops: restarts + 2 } });
  }, 900_000);
});
