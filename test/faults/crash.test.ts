import { expect, it, describe } from "vitest";
import type { SpawnOptions } from "../support/gateway.ts";
import { waitFor } from "../support/wait-for.ts";
import { untilSound } from "./harness/invariants.ts";
import { startLoad } from "./harness/load.ts";
import { scaled, scenarioRandom } from "./harness/scale.ts";
import { startFleet, shortLease, openWorld } from "./harness/world.ts";

describe("kill at random", () => {
  const steps = ["claim", "dispatch", "settle"] as const;
  const events = scaled(50, 3000);
  const kills = scaled(1, 40);
  const inDoubtSeconds = 8;

  const rowKinds: [string, boolean][] = [
    ["plain rows", false],
    ["encrypted rows", true],
  ];
  it.each(rowKinds.slice(0, scaled(1, 2)))(
    "two gateways with %s, killed again and again at any instant and at named steps, send every message exactly once",
    async (rows, encrypted) => {
      const random = scenarioRandom(20_260_518);
      await using world = await openWorld(random, undefined, { encrypted });
      const optionsOf = (): SpawnOptions => ({
        databaseUrl: world.databaseUrl,
        platformApiUrl: world.platform.url,
        inDoubtSeconds,
        timeLimits: shortLease,
        // A third of the gateways die by themselves at a step, the others wherever the kill finds them.
        crash: random.often(0.3) ? { step: random.pick(steps), nth: random.whole(5, 40) } : null,
      });
      await using fleet = await startFleet(2, world.gateways, optionsOf);
      const { ledger, done } = startLoad({ random, shops: world.shops, gateways: () => world.gateways, events, clients: 24 });

      for (let kill = 1; kill <= kills; kill += 1) {
        const due = Math.floor((kill * events) / (kills + 1));
        await waitFor("the next kill", () => ledger.answered >= due, 120_000);
        await waitFor("a gateway to kill", () => fleet.kill(random.whole(0, 1)));
      }
      await done;
      // A message is sent again only once: if its second attempt is killed as well, it is left to the operator.
      await untilSound(`kill -9, two gateways, ${rows}`, {
        ...world,
        ledger,
        random,
        excuses: ["interrupted again"],
        inDoubtSeconds,
        counts: { events, deaths: fleet.deaths, sends: world.platform.sends.length },
      });
      expect(fleet.deaths).toBeGreaterThanOrEqual(kills);
    },
    scaled(90_000, 900_000),
  );
});
