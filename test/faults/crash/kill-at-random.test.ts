import { expect, it } from "vitest";
import { startLoad } from "../../support/faults/event-load.ts";
import { startFleet } from "../../support/faults/fleet.ts";
import { violations } from "../../support/faults/invariants.ts";
import { report } from "../../support/faults/report.ts";
import { scaled, scenarioRandom } from "../../support/faults/scale.ts";
import { shortLimits } from "../../support/faults/short-limits.ts";
import { openWorld } from "../../support/faults/world.ts";
import type { SpawnOptions } from "../../support/gateway/spawn-gateway.ts";
import { waitFor } from "../../support/wait-for.ts";

const steps = ["claim", "dispatch", "settle"] as const;
const events = scaled(200, 3000);
const kills = scaled(3, 40);

it(
  "two gateways, killed again and again at any instant and at named steps, send every message exactly once",
  async () => {
    const random = scenarioRandom(20_260_518);
    await using world = await openWorld(random);
    const optionsOf = (): SpawnOptions => ({
      databaseUrl: world.databaseUrl,
      platformApiUrl: world.platform.url,
      inDoubtSeconds: 4,
      timeLimits: shortLimits,
      // A third of them die by themselves at a step, the others wherever the kill finds them.
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
    // Sent again once and no more: a message whose second attempt is killed as well is left to the operator.
    const found = await violations({ ...world, ledger, excuses: ["interrupted again"] });
    const { requests, refused } = ledger;
    report("kill -9, two gateways", {
      seed: random.seed,
      events,
      deaths: fleet.deaths,
      requests,
      refused,
      sends: world.platform.sends.length,
      violations: found.length,
    });
    expect(fleet.deaths).toBeGreaterThanOrEqual(kills);
    expect(found).toEqual([]);
  },
  scaled(90_000, 900_000),
);
