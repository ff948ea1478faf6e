import { expect, it } from "vitest";
import { testDatabase } from "../../support/database/test-database.ts";
import { createAsker } from "../../support/faults/load/asker.ts";
import { createGate } from "../../support/faults/load/gate.ts";
import { openGateway } from "../../support/gateway/open-gateway.ts";
import { startScriptedPlatform } from "../../support/gateway/scripted-platform.ts";
import { openShop } from "../../support/gateway/shop.ts";
import { waitFor } from "../../support/wait-for.ts";

const flood = 800;
/** The transaction that wrote each of a site's rows last, in the order in which transactions began to write. */
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
