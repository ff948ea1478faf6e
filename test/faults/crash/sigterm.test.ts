import { expect, it, onTestFinished } from "vitest";
import { startLoad } from "../../support/faults/event-load.ts";
import { violations } from "../../support/faults/invariants.ts";
import { startMain, urlOf } from "../../support/faults/main-process.ts";
import { report } from "../../support/faults/report.ts";
import { scaled, scenarioRandom } from "../../support/faults/scale.ts";
import { openWorld } from "../../support/faults/world.ts";
import type { RunningProcess } from "../../support/process/running-process.ts";
import { waitFor } from "../../support/wait-for.ts";

const events = scaled(200, 3000);
const restarts = scaled(2, 20);

it(
  "gateways that are told to stop under load, one after the other, finish what they hold and end with 0",
  async () => {
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
    // Nobody is left to take anything over: what is unfinished now was lost by a stop.
    const left = await world.sql`select id from event where lease_until is not null or chat is null`;
    expect(left).toEqual([]);
    await using last = startMain(world);
    world.gateways.splice(0, 2, await urlOf(last));
    const found = await violations({ ...world, ledger, excuses: [] });
    const { requests, refused } = ledger;
    report("SIGTERM under load", { seed: random.seed, events, stops: restarts + 2, requests, refused, violations: found.length });
    expect(found).toEqual([]);
  },
  scaled(90_000, 900_000),
);
