import type { Pool } from "shared/db/statement";
import { expect, it, describe } from "vitest";
import { type Owner, testDatabase } from "../support/database.ts";
import { openGateway, openShop, type Shop } from "../support/gateway.ts";
import { startScriptedPlatform } from "../support/platform.ts";
import { anEvent, postEvent } from "../support/requests.ts";
import { waitFor } from "../support/wait-for.ts";
import { recoveryMs, untilSound } from "./harness/invariants.ts";
import type { Ledger } from "./harness/ledger.ts";
import { type FaultProxy, startFaultProxy } from "./harness/link.ts";
import { startLoad, type Asked, createAsker, createGate } from "./harness/load.ts";
import { type Random, scenarioRandom } from "./harness/scale.ts";
import { shortLimits, openWorld, type World } from "./harness/world.ts";

describe("connection", () => {
  const events = 1500;
  const rounds = 10;

  interface Fault {
    begin(proxy: FaultProxy, random: Random): void;
    /** True if the fault is over as soon as it has begun; else it lasts until clients have felt it. */
    sudden: boolean;
  }

  /** The faults; the first four stand for the others in the bounded run. */
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

  /** Breaks the connections while the load runs, and restores them once clients felt it. */
  async function breakAgainAndAgain(fault: Fault, proxy: FaultProxy, random: Random, ledger: Ledger): Promise<void> {
    for (let round = 1; round <= rounds; round += 1) {
      const due = Math.floor((round * events) / (rounds + 2));
      await waitFor("the next fault", () => ledger.answered >= due, 120_000);
      fault.begin(proxy, random);
      const { refused } = ledger;
      if (!fault.sudden) await waitFor("the fault to be felt", () => ledger.refused >= refused + 5, recoveryMs);
      if (!fault.sudden) proxy.heal();
    }
  }

  /** Waits until the gateway behind the proxy serves again. */
  async function untilServing(gateway: { url: string }, world: World): Promise<void> {
    const [{ shop } = { shop: null }] = world.shops.slice(1);
    if (!shop) throw new Error("no shop");
    await waitFor("the gateway to serve again", async () => (await postEvent(gateway, shop, anEvent)).status === 200, recoveryMs);
  }

  it.each(faults)(
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
      await untilSound(`the way to the database ${name}`, {
        ...world,
        ledger,
        random,
        excuses: ["deadline"],
        ...changes,
        counts: { events, rounds },
      });
    },
    600_000,
  );
});

describe("hostile", () => {
  /** Makes PostgreSQL refuse rows of one site in a table, as it would a row that cannot be right. */
  const refuseRowsOf = async (owner: Owner, siteId: string, table: string, sqlState: string): Promise<unknown> =>
    owner.unsafe(`
    create function refuse() returns trigger language plpgsql as $$
    begin
      if new.site_id = '${siteId}' then raise exception 'refused' using errcode = '${sqlState}'; end if;
      return new;
    end $$;
    create trigger refuse before insert on ${table} for each row execute function refuse()`);

  async function rowsOf(sql: Pool, siteId: string): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const table of ["event", "event_payload", "notification", "customer_order", "idempotency"]) {
      const [row] = await sql<{ n: number }[]>`select count(*)::integer as n from ${sql(table)} where site_id = ${siteId}`;
      counts[table] = row?.n ?? 0;
    }
    return counts;
  }
  const everywhere = (n: number) => ({ event: n, event_payload: n, notification: n, customer_order: n, idempotency: n });

  interface BesideHostile {
    ofHostile: Asked<Shop>[];
    ofOthers: Asked<Shop>[];
    /** True if all others had an answer before. */
    hostileWasLast: boolean;
  }

  /** Three sites' events arrive together, and those of the one in the middle are refused. */
  async function postBesideHostile(table: string, sqlState: string): Promise<BesideHostile> {
    await using database = await testDatabase();
    await using platform = await startScriptedPlatform();
    const gate = createGate("claim");
    await using gateway = await openGateway(database.url, platform.url, {}, { claimMs: 6_000 }, gate.onStep);
    const [here, hostile, there] = [await openShop(database.sql), await openShop(database.sql), await openShop(database.sql)];
    await refuseRowsOf(database.owner, hostile.siteId, table, sqlState);
    using asker = createAsker(gateway.url, "event");

    const answers: Asked<Shop>[] = [];
    const asked: Promise<void>[] = [];
    for (const site of [here, there, here, hostile, there, hostile, here, hostile, there, here, there]) {
      asked.push(asker.ask(site).then((answer) => void answers.push(answer)));
      await waitFor("the event", () => gate.waiting === asked.length);
    }
    gate.open();
    await Promise.all(asked);

    for (const site of [here, there]) expect(await rowsOf(database.sql, site.siteId)).toEqual(everywhere(4));
    expect(await rowsOf(database.sql, hostile.siteId)).toEqual(everywhere(0));
    expect(platform.sends).toHaveLength(8);
    expect(await database.sql`select id from event where chat is null union select id from event_due`).toEqual([]);
    const isHostile = ({ site }: Asked<Shop>): boolean => site === hostile;
    return {
      ofHostile: answers.filter(isHostile),
      ofOthers: answers.filter((one) => !isHostile(one)),
      hostileWasLast: answers.slice(-3).every(isHostile),
    };
  }

  /** Refusals: a check, a value out of range, a row too large for an index, any error of a function, bytes that are no text. */
  const refusals = [
    ["event", "23514"],
    ["event_payload", "22003"],
    ["notification", "54000"],
    ["customer_order", "P0001"],
    ["idempotency", "22021"],
  ] as const;

  it.each(refusals)(
    "an event whose row in %s is refused (%s) fails alone, in the middle of a batch of other sites' events",
    async (table, sqlState) => {
      const { ofHostile, ofOthers } = await postBesideHostile(table, sqlState);
      expect(ofOthers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
      for (const { status, body } of ofHostile) {
        expect(status).toBe(500);
        expect(body).toMatch(/^\{"error":"Internal error[^"]*"\}$/);
      }
    },
  );

  it("an event that is tried again and again is tried without the others", async () => {
    // The deadlock comes back in each try.
    const { ofHostile, ofOthers, hostileWasLast } = await postBesideHostile("event", "40P01");
    expect(ofOthers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    expect(ofHostile.map(({ status }) => status)).toEqual([503, 503, 503]);
    expect(hostileWasLast).toBe(true);
  });
});
