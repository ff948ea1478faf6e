import { beforeAll, afterAll, expect, it } from "vitest";
import { data } from "../support/data.ts";
import { openGateway } from "../support/gateway.ts";
import { waitFor } from "../support/wait-for.ts";
import { violations } from "./harness/invariants.ts";
import { type Ledger, emptyLedger } from "./harness/ledger.ts";
import { startLoad } from "./harness/load.ts";
import { createRandom } from "./harness/scale.ts";
import { openWorld, type World } from "./harness/world.ts";

let world: World;
let ledger: Ledger;

/** The run in which nothing was broken. */
beforeAll(async () => {
  const random = createRandom(1);
  world = await openWorld(random);
  await using gateway = await openGateway(world.databaseUrl, world.platform.url);
  world.gateways.push(gateway.url);
  const load = startLoad({ random, shops: world.shops, gateways: () => world.gateways, events: 20, clients: 4 });
  await load.done;
  await waitFor("what waits to be sent", async () => (await world.sql`select from waiting_message`).length === 0, 30_000);
  await world.platform.told();
  const pending = () => world.sql`select from webhook_delivery where status <> 'delivered'`.execute();
  await waitFor("what is to be told", async () => (await pending()).length === 0, 30_000);
  ledger = load.ledger;
});
afterAll(async () => world?.[Symbol.asyncDispose]());

const found = async (
  changes: { ledger?: Ledger; taken?: World["platform"]["taken"]; received?: World["receiver"]["received"] } = {},
): Promise<string[]> =>
  violations({
    sql: world.sql,
    ledger: changes.ledger ?? ledger,
    excuses: [],
    receiver: { received: changes.received ?? world.receiver.received },
    platform: { taken: changes.taken ?? world.platform.taken, told: async () => undefined },
  });

const [first, second] = [() => ledger.entries[0], () => ledger.entries[1]];
const idOf = (entry = first()): string => String(entry?.answers[0]?.json["event_id"]);

it("nothing is found where nothing is wrong", async () => {
  expect(await found()).toEqual([]);
});

it.each<[string, RegExp, () => Parameters<typeof found>[0]]>([
  ["a status that the endpoint never heard", /^never told/, () => ({ received: world.receiver.received.slice(30) })],
  [
    "a status that nobody wrote",
    /^told what is not so/,
    () => ({ received: world.receiver.received.map((one) => ({ ...one, json: { ...one.json, type: "message.lost" } })) }),
  ],
  ["a message that was taken twice", /^got 2 times/, () => ({ taken: [...world.platform.taken, ...world.platform.taken.slice(0, 1)] })],
  ["a message that the log holds for sent and nobody took", /never taken/, () => ({ taken: world.platform.taken.slice(1) })],
  [
    "an event that was never answered",
    /never answered/,
    () => ({ ledger: { ...ledger, entries: ledger.entries.map((entry, i) => (i ? entry : { ...entry, answers: [] })) } }),
  ],
  [
    "an event that is not stored",
    /stored 0 times/,
    () => ({ ledger: { ...ledger, entries: ledger.entries.map((entry, i) => (i ? entry : { ...entry, key: "unknown" })) } }),
  ],
  [
    "a duplicate that was answered differently",
    /answered differently/,
    () => ({
      ledger: {
        ...ledger,
        entries: ledger.entries.map((entry, i) => (i ? entry : { ...entry, answers: [...entry.answers, ...(second()?.answers ?? [])] })),
      },
    }),
  ],
  ["an answer that no client should see", /500/, () => ({ ledger: { ...emptyLedger(), unexpected: ["event-1: 500"] } })],
])("%s is found", async (_, problem, change) => {
  expect(await found(change())).toContainEqual(expect.stringMatching(problem));
});

it.each(data<[string, string, RegExp][]>("test-faults-invariants", "s is found"))("%s is found", async (_, statement, problem) => {
  await world.sql.unsafe(statement, [idOf()]);
  expect(await found()).toContainEqual(expect.stringMatching(problem));
});
