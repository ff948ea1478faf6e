import { expect, it } from "vitest";
import { testDatabase } from "../../support/database/test-database.ts";
import { type Asked, createAsker } from "../../support/faults/load/asker.ts";
import { isAnswered, refusalProblems } from "../../support/faults/load/witness.ts";
import { openGateway } from "../../support/gateway/open-gateway.ts";
import { startScriptedPlatform } from "../../support/gateway/scripted-platform.ts";
import { openShop, type Shop } from "../../support/gateway/shop.ts";
import { waitFor } from "../../support/wait-for.ts";

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
