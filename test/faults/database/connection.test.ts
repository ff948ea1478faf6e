import { expect, it } from "vitest";
import { startLoad } from "../../support/faults/event-load.ts";
import { type FaultProxy, startFaultProxy } from "../../support/faults/fault-proxy.ts";
import { recoveryMs, violations } from "../../support/faults/invariants.ts";
import type { Ledger } from "../../support/faults/ledger.ts";
import type { Random } from "../../support/faults/random.ts";
import { report } from "../../support/faults/report.ts";
import { scaled, scenarioRandom } from "../../support/faults/scale.ts";
import { shortLimits } from "../../support/faults/short-limits.ts";
import { openWorld, type World } from "../../support/faults/world.ts";
import { openGateway } from "../../support/gateway/open-gateway.ts";
import { anEvent, postEvent } from "../../support/gateway/post-event.ts";
import { waitFor } from "../../support/wait-for.ts";

const events = scaled(80, 1500);
const rounds = scaled(1, 10);

interface Fault {
  begin(proxy: FaultProxy, random: Random): void;
  /** Whether it is over as soon as it has begun; else it lasts until clients have felt it. */
  sudden: boolean;
}

/** The first four stand for the others in the bounded run. */
const faults: [string, Fault][] = [
  ["is cut for some", { begin: (proxy, random) => proxy.cut(() => random.often(0.5)), sudden: true }],
  ["is gone for a while", { begin: (proxy) => (proxy.refuse(), proxy.cut()), sudden: false }],
  ["swallows what is said on it, for ever", { begin: (proxy) => proxy.setWeather({ kind: "blackhole" }), sudden: false }],
  ["swallows the answers, for ever", { begin: (proxy) => proxy.setWeather({ kind: "mute" }), sudden: false }],
  ["is cut", { begin: (proxy) => proxy.cut(), sudden: true }],
  ["stalls, and goes on where it was", { begin: (proxy) => proxy.setWeather({ kind: "stall" }), sudden: false }],
  ["is left half open", { begin: (proxy) => proxy.halfOpen(), sudden: true }],
  [
    "is slow and overtakes itself",
    { begin: (proxy, random) => proxy.setWeather({ kind: "delay", ms: () => random.whole(5, 60) }), sudden: true },
  ],
  ["comes in drips", { begin: (proxy) => proxy.setWeather({ kind: "drip", bytes: 512, everyMs: 5 }), sudden: true }],
];

/** Breaks the connections while the load runs, and mends them when it was felt. */
async function breakAgainAndAgain(fault: Fault, proxy: FaultProxy, random: Random, ledger: Ledger): Promise<void> {
  for (let round = 1; round <= rounds; round += 1) {
    const due = Math.floor((round * events) / (rounds + 2));
    await waitFor("the next fault", () => ledger.answered >= due, recoveryMs);
    fault.begin(proxy, random);
    const { refused } = ledger;
    if (!fault.sudden) await waitFor("the fault to be felt", () => ledger.refused >= refused + 5, recoveryMs);
    if (!fault.sudden) proxy.heal();
  }
}

/** The one behind the proxy serves again, alone. */
async function untilServing(gateway: { url: string }, world: World): Promise<void> {
  const [{ shop } = { shop: null }] = world.shops.slice(1);
  if (!shop) throw new Error("no shop");
  await waitFor("the gateway to serve again", async () => (await postEvent(gateway, shop, anEvent)).status === 200, recoveryMs);
}

it.each(faults.slice(0, scaled(4, faults.length)))(
  "the way to the database %s",
  async (name, fault) => {
    const random = scenarioRandom(77);
    await using world = await openWorld(random);
    await using proxy = await startFaultProxy(world.databaseUrl);
    const changes = { inDoubtSeconds: 4 };
    await using troubled = await openGateway(proxy.url, world.platform.url, changes, shortLimits);
    await using sound = await openGateway(world.databaseUrl, world.platform.url, changes, shortLimits);
    world.gateways.push(troubled.url, sound.url);
    const { ledger, done } = startLoad({ random, shops: world.shops, gateways: () => world.gateways, events, clients: 12 });

    await breakAgainAndAgain(fault, proxy, random, ledger);
    await done;
    proxy.heal();
    await untilServing(troubled, world);
    const found = await violations({ ...world, ledger, excuses: ["deadline"] });
    const { requests, refused } = ledger;
    report(`the way to the database ${name}`, { seed: random.seed, events, rounds, requests, refused, violations: found.length });
    expect(found).toEqual([]);
  },
  scaled(60_000, 600_000),
);
