import { fileURLToPath } from "node:url";
import { uuidTime } from "shared/core/uuid";
import { startPostgres } from "shared/postgres/start";
import { expect, it, describe } from "vitest";
import { migrated } from "../support/database.ts";
import { openGateway } from "../support/gateway.ts";
import { rawSocket } from "../support/requests.ts";
import { waitFor } from "../support/wait-for.ts";
import { recoveryMs, untilSound } from "./harness/invariants.ts";
import { startLoad } from "./harness/load.ts";
import { scenarioRandom } from "./harness/scale.ts";
import { mayMount, mountSmallDisk } from "./harness/small-disk.ts";
import { startMain, urlOf, openWorld } from "./harness/world.ts";

describe("clock", () => {
  const events = 1500;
  const preload = fileURLToPath(new URL("harness/jumping-clock.ts", import.meta.url));

  it("a clock that jumps an hour ahead, an hour behind and back again on one of two gateways loses and repeats nothing", async () => {
    const random = scenarioRandom(1001);
    await using world = await openWorld(random);
    await using jumping = startMain({ ...world, preload });
    await using steady = startMain(world);
    world.gateways.push(await urlOf(jumping), await urlOf(steady));
    // The clients' clock is right, so a gateway with a wrong clock would refuse their timestamps.
    const { ledger, done } = startLoad({
      random,
      shops: world.shops,
      gateways: () => world.gateways,
      events,
      clients: 16,
      timestamps: false,
    });
    for (let jump = 1; jump <= 3; jump += 1) {
      await waitFor("the next jump", () => ledger.answered >= (jump * events) / 4, 120_000);
      process.kill(jumping.pid, "SIGUSR2");
    }
    await done;
    const ids = await world.sql<{ id: string }[]>`select id from event order by id`;
    const span = uuidTime(ids.at(-1)?.id ?? "") - uuidTime(ids[0]?.id ?? "");
    expect(span, "the clock that jumped shows in the ids").toBeGreaterThan(3_500_000);
    await untilSound("clock jumps of an hour", { ...world, ledger, random, excuses: [], counts: { events, jumps: 3 } });
  }, 300_000);
});

describe("connections", () => {
  it("2,000 open connections leave the service as it is, and 1,000 requests at once are served, not refused", async () => {
    const random = scenarioRandom(1201);
    await using world = await openWorld(random);
    await using gateway = startMain(world);
    world.gateways.push(await urlOf(gateway));
    const port = Number(new URL(world.gateways[0] ?? "").port);
    const idle = await Promise.all(Array.from({ length: 2000 }, async () => rawSocket(port)));
    const events = 2000;
    const { ledger, done } = startLoad({ random, shops: world.shops.slice(1), gateways: () => world.gateways, events, clients: 1000 });
    await done;
    expect(ledger.refused).toBe(0);
    await untilSound("open connections", { ...world, ledger, random, excuses: [], counts: { idle: idle.length, atOnce: 1000, events } });
    for (const { socket } of idle) socket.destroy();
  }, 300_000);
});

describe("disk", () => {
  const events = 600;

  it.skipIf(!mayMount())(
    "a database whose disk is full goes on when there is room again (needs root and tmpfs)",
    async () => {
      const random = scenarioRandom(1501);
      using disk = mountSmallDisk(400);
      await using postgres = await startPostgres({ dataDir: `${disk.path}/data`, durable: true });
      await using world = await openWorld(random, await migrated(postgres));
      await using gateway = await openGateway(postgres.everydayUrl, world.platform.url, { inDoubtSeconds: 10 });
      world.gateways.push(gateway.url);
      const { ledger, done } = startLoad({
        random,
        shops: world.shops,
        gateways: () => world.gateways,
        events,
        clients: 16,
        ballast: 20_000,
      });
      for (let round = 1; round <= 2; round += 1) {
        await waitFor("the next filling", () => ledger.answered >= (round * events) / 4, 120_000);
        const { refused } = ledger;
        disk.fill();
        await waitFor("it to be felt", () => ledger.refused >= refused + 10, recoveryMs);
        disk.empty();
      }
      await done;
      await untilSound("disk full", { ...world, ledger, random, excuses: ["deadline"], inDoubtSeconds: 10, counts: { events, rounds: 2 } });
    },
    300_000,
  );
});

describe("memory", () => {
  const events = 600;
  const megabytes = 96;

  it(`a gateway with ${megabytes} MB of heap takes 32 large events at a time and stays up`, async () => {
    const random = scenarioRandom(1101);
    await using world = await openWorld(random);
    await using gateway = startMain({ ...world, nodeOptions: [`--max-old-space-size=${megabytes}`] });
    world.gateways.push(await urlOf(gateway));
    const { ledger, done } = startLoad({
      random,
      shops: world.shops,
      gateways: () => world.gateways,
      events,
      clients: 32,
      ballast: 300_000,
    });
    await Promise.race([done, gateway.ended]);
    expect(gateway.stderr()).toBe("");
    expect(gateway.isRunning()).toBe(true);
    await untilSound("little memory", { ...world, ledger, random, excuses: [], counts: { events, megabytes } });
  }, 300_000);
});
