import { expect, it, describe } from "vitest";
import { testDatabase } from "../support/database.ts";
import { openGateway, openShop, type Shop } from "../support/gateway.ts";
import { startScriptedPlatform } from "../support/platform.ts";
import { waitFor } from "../support/wait-for.ts";
import { violations } from "./harness/invariants.ts";
import { createAsker, isAnswered, toLedger, type Asked, refusalProblems, createGate } from "./harness/load.ts";
import { report, scenarioRandom } from "./harness/scale.ts";
import { openWorld } from "./harness/world.ts";

describe("at once", () => {
  const connections = 1000;

  it("hundreds of connections at once are served, none refused", async () => {
    const random = scenarioRandom(3101);
    await using world = await openWorld(random);
    await using gateway = await openGateway(world.databaseUrl, world.platform.url);
    world.gateways.push(gateway.url);
    const shop = world.single;
    using asker = createAsker(gateway.url, "at-once");
    const asked = await Promise.all(Array.from({ length: connections }, async () => asker.ask(shop)));
    expect(asked.filter((one) => !isAnswered(one))).toEqual([]);
    const found = await violations({ ...world, ledger: toLedger(asked), excuses: [] });
    report("connections at once", { connections, answered: asked.length, violations: found.length });
    expect(found).toEqual([]);
  });
});

describe("hold", () => {
  it("a site whose events wait too long is asked to come back, another one is not, and all is well when the database is", async () => {
    await using database = await testDatabase();
    await using platform = await startScriptedPlatform();
    await using gateway = await openGateway(database.url, platform.url, {}, { holdMs: 100 });
    const [many, one] = [await openShop(database.sql), await openShop(database.sql)];
    using asker = createAsker(gateway.url, "hold");
    const asked: Promise<void>[] = [];
    const answers: Asked<Shop>[] = [];
    const ask = (site: Shop): void => void asked.push(asker.ask(site).then((answer) => void answers.push(answer)));
    const refused = (): Asked<Shop>[] => answers.filter((answer) => !isAnswered(answer));

    await database.sql.begin(async (sql) => {
      await sql`lock table event in share mode`;
      await waitFor("a refusal", () => {
        ask(many);
        return refused().length > 0;
      });
      ask(one);
    });
    await Promise.all(asked);

    expect(answers.find(({ site }) => site === one)).toMatchObject({ status: 200 });
    expect(refused()[0]).toMatchObject({ status: 503, retryAfter: "2", body: '{"error":"Server is busy"}' });
    expect(await refusalProblems(database.sql, answers)).toEqual([]);
    expect(platform.sends).toHaveLength(answers.length - refused().length);
    expect(await asker.ask(many)).toMatchObject({ status: 200 });
  });
});

describe("order", () => {
  const flood = 800;
  /** The transaction that last wrote each of a site's rows, in the order in which transactions began to write. */
  const written = { claim: "select xmin::text::bigint as at from notification", settle: "select xmin::text::bigint as at from event" };

  it.each(["claim", "settle"] as const)("an event that comes behind %s's queue of another site is served among the first", async (step) => {
    await using database = await testDatabase();
    await using platform = await startScriptedPlatform();
    const gate = createGate(step);
    await using gateway = await openGateway(database.url, platform.url, {}, {}, gate.onStep);
    const [many, one] = [await openShop(database.sql), await openShop(database.sql)];
    using asker = createAsker(gateway.url, step);

    const flooded = Array.from({ length: flood }, async () => asker.ask(many));
    await waitFor("the flood", () => gate.waiting === flood);
    const last = asker.ask(one);
    await waitFor("the other site's event", () => gate.waiting === flood + 1);
    gate.open();

    const answers = await Promise.all([...flooded, last]);
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    const of = async (siteId: string): Promise<number[]> => {
      const rows = await database.sql.unsafe<{ at: string }[]>(`${written[step]} where site_id = '${siteId}'`);
      return rows.map(({ at }) => Number(at));
    };
    const [mine = 0] = await of(one.siteId);
    // Two statements are under way at once, of up to 250 events each: the event is in one of these.
    expect((await of(many.siteId)).filter((at) => at > mine).length).toBeGreaterThanOrEqual(flood - 2 * 250);
  });
});
