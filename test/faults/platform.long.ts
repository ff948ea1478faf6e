import { expect, it, describe } from "vitest";
import { openGateway } from "../support/gateway.ts";
import { anEvent, postEvent } from "../support/requests.ts";
import { waitFor } from "../support/wait-for.ts";
import { recoveryMs, untilSound } from "./harness/invariants.ts";
import { type FaultProxy, startFaultProxy } from "./harness/link.ts";
import { startLoad } from "./harness/load.ts";
import { breakAnswers } from "./harness/platform.ts";
import { scenarioRandom, type Random } from "./harness/scale.ts";
import { impatientWithPlatform, openWorld } from "./harness/world.ts";

/** An event whose message is like no other: one whose answer comes too late may have left. */
let made = 0;
const another = () => ({ ...anEvent, customer: { ...anEvent.customer, first_name: `Ada ${(made += 1)}` } });

describe("answers", () => {
  const events = 3000;

  it("a platform that resets, hangs, drips, lies, refuses and answers in HTML costs nobody a second message and no answer", async () => {
    const random = scenarioRandom(401);
    await using world = await openWorld(random);
    await using gateway = await openGateway(world.databaseUrl, world.platform.url, {}, impatientWithPlatform);
    world.gateways.push(gateway.url);
    const counts: Record<string, number> = {};
    world.platform.behave(breakAnswers(random, 0.3, counts));
    const { ledger, done } = startLoad({ random, shops: world.shops, gateways: () => world.gateways, events, clients: 24 });
    await done;
    // The request was answered, whatever the platform did: nobody was asked to come back.
    expect(ledger.refused).toBe(0);

    world.platform.behave(() => ({ takes: true, answer: null }));
    const [, { shop } = { shop: null }] = world.shops;
    const isSent = async (): Promise<boolean> => shop !== null && (await postEvent(gateway, shop, another())).json["chat"] === "sent";
    await waitFor("the first message after the fault", isSent, recoveryMs);
    await untilSound("a broken platform", { ...world, ledger, random, excuses: null, counts: { events, ...counts } });
  }, 600_000);
});

describe("connection", () => {
  const events = 3000;
  const rounds = 5;

  /** The faults come one after the other, each for a while, with pauses between. */
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

  it("a way to the platform that fails in every way costs nobody a second message and no answer", async () => {
    const random = scenarioRandom(402);
    await using world = await openWorld(random);
    await using proxy = await startFaultProxy(world.platform.url);
    await using gateway = await openGateway(world.databaseUrl, proxy.url, {}, impatientWithPlatform);
    world.gateways.push(gateway.url);
    const { ledger, done } = startLoad({ random, shops: world.shops, gateways: () => world.gateways, events, clients: 16 });

    const steps = 2 * rounds * faults.length;
    for (let step = 1; step < steps; step += 1) {
      await waitFor("the next fault or its end", () => ledger.answered >= Math.floor((step * events) / (steps + 2)), 120_000);
      if (step % 2 === 0) proxy.heal();
      else faults[((step - 1) / 2) % faults.length]?.(proxy, random);
    }
    proxy.heal();
    await done;
    expect(ledger.refused).toBe(0);
    const [, { shop } = { shop: null }] = world.shops;
    const isSent = async (): Promise<boolean> => shop !== null && (await postEvent(gateway, shop, another())).json["chat"] === "sent";
    await waitFor("the first message after the fault", isSent, recoveryMs);
    await untilSound("the way to the platform", {
      ...world,
      ledger,
      random,
      excuses: null,
      counts: { events, faults: rounds * faults.length },
    });
  }, 600_000);
});
