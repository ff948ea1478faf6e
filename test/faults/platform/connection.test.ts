import { expect, it } from "vitest";
import { startLoad } from "../../support/faults/event-load.ts";
import { type FaultProxy, startFaultProxy } from "../../support/faults/fault-proxy.ts";
import { recoveryMs, violations } from "../../support/faults/invariants.ts";
import type { Random } from "../../support/faults/random.ts";
import { report } from "../../support/faults/report.ts";
import { scaled, scenarioRandom } from "../../support/faults/scale.ts";
import { shortLimits } from "../../support/faults/short-limits.ts";
import { openWorld } from "../../support/faults/world.ts";
import { openGateway } from "../../support/gateway/open-gateway.ts";
import { anEvent, postEvent } from "../../support/gateway/post-event.ts";
import { waitFor } from "../../support/wait-for.ts";

const events = scaled(160, 3000);
const rounds = scaled(1, 5);

/** One after the other, each for a while, with clear weather between. */
const faults: ((proxy: FaultProxy, random: Random) => void)[] = [
  (proxy, random) => proxy.setWeather({ kind: "delay", ms: () => random.whole(1, 80) }),
  (proxy) => proxy.cut(),
  (proxy) => proxy.setWeather({ kind: "drip", bytes: 64, everyMs: 2 }),
  (proxy) => (proxy.refuse(), proxy.cut()),
  (proxy) => proxy.setWeather({ kind: "mute" }),
  (proxy) => proxy.halfOpen(),
  (proxy) => proxy.setWeather({ kind: "blackhole" }),
  (proxy) => proxy.setWeather({ kind: "stall" }),
];

it(
  "a way to the platform that fails in every way costs nobody a second message and no answer",
  async () => {
    const random = scenarioRandom(402);
    await using world = await openWorld(random);
    await using proxy = await startFaultProxy(world.platform.url);
    // The way to the database is sound here: a busy disk must not pass for a fault of it.
    await using gateway = await openGateway(world.databaseUrl, proxy.url, {}, { ...shortLimits, statementMs: 2_000 });
    world.gateways.push(gateway.url);
    const { ledger, done } = startLoad({ random, shops: world.shops, gateways: () => world.gateways, events, clients: 16 });

    const steps = 2 * rounds * faults.length;
    for (let step = 1; step < steps; step += 1) {
      await waitFor("the next fault or its end", () => ledger.answered >= Math.floor((step * events) / (steps + 2)), recoveryMs);
      if (step % 2 === 0) proxy.heal();
      else faults[((step - 1) / 2) % faults.length]?.(proxy, random);
    }
    proxy.heal();
    await done;
    expect(ledger.refused).toBe(0);
    const [, { shop } = { shop: null }] = world.shops;
    const isSent = async (): Promise<boolean> => shop !== null && (await postEvent(gateway, shop, anEvent)).json["chat"] === "sent";
    await waitFor("the first message after the fault", isSent, recoveryMs);
    const found = await violations({ ...world, ledger, excuses: null });
    report("the way to the platform", {
      seed: random.seed,
      events,
      faults: rounds * faults.length,
      requests: ledger.requests,
      violations: found.length,
    });
    expect(found).toEqual([]);
  },
  scaled(60_000, 600_000),
);
