import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { root } from "../architecture/graph.ts";
import { failings, impatient, judge } from "./harness/judge.ts";
import { isLong } from "./harness/scale.ts";
import { type Lane, openLane, removals } from "./harness/trips.ts";
import { writesOfGateway } from "./harness/writes.ts";
import journeys from "./statements.json" with { type: "json" };

/** Every statement by which a gateway writes, and the journeys that meet it where it stands, the shortest first. */
const judged: Record<string, readonly string[]> = journeys;

/** What is in reach of a gateway's code, and which it never runs on its way. */
const neverRun: Record<string, string> = {
  "queueHeld: insert into waiting_message":
    "a message that the platform takes and then refuses is sent twice, as it must be; test/e2e/whatsapp-2026.test.ts has it",
  "dueWork: update requested_event (2)": "a request for an event is not extended",
  ...Object.fromEntries(
    ["takeJobTurn: insert into job_turn", ...["", " (2)", " (3)", " (4)"].map((n) => `dueWork: update job_turn${n}`)].map((name) => [
      name,
      "who counts what waits holds no message, and only metrics want it; gateway/src/start.db.test.ts has it handed over",
    ]),
  ),
  ...Object.fromEntries(
    ["releaseLapsed: delete from account_move", "unmark: update account"].map((name) => [
      name,
      "ends the move of an account whose process died, again with the next gateway that goes; test/e2e/move-account.long.ts has it",
    ]),
  ),
  "insertVaultKey: insert into vault_key": "a gateway that cannot do it does not start",
};

const writes = writesOfGateway();

/** The tables whose rows each table's rows hang on. */
const parents = new Map(
  readFileSync(join(root, "shared/src/db/schema.sql"), "utf8")
    .split("\ncreate table ")
    .map((text) => [
      /^[\w.]+/u.exec(text)?.[0] ?? "",
      [...text.matchAll(/FOREIGN KEY .* REFERENCES ([\w.]+)/gu)].map(([, name = ""]) => name),
    ]),
);
const hangsOn = (table: string): readonly string[] => parents.get(table) ?? [];

it("every statement by which a gateway writes has a journey that meets it", () => {
  expect(writes.map(({ name }) => name).toSorted()).toEqual([...Object.keys(judged), ...Object.keys(neverRun)].toSorted());
});

it("nothing that a gateway writes hangs on a user", () => {
  const all = new Set(writes.flatMap(({ table }) => hangsOn(table)));
  expect([...all].toSorted()).toEqual(["account", "backfill", "binding", "platform_account", "site", "site_secret", "webhook"]);
});

/** A foreign key can only be gone where a row has one. */
const fits = (how: string, table: string): boolean => how !== "a foreign key is gone" || hangsOn(table).length > 0;
const ways = Object.keys(failings) as (keyof typeof failings)[];
const deletions = Object.keys(removals).flatMap((what) =>
  (["gone", "goes"] as const).map((when) => `${what as keyof typeof removals} ${when}` as const),
);

/** The statements that take, record or hand back messages, events and deliveries. */
const recording =
  /^(?:settle|applyResults|endWaiting|waitOn|queueHeld|learnUsers|countPrices|heedNews|recordAttempts|postpone|turnedOn|giveBack|finishFromLog|markSending|take(?:First|Deliveries|OverEvents))/u;

/** In full each statement fails in all ways on all journeys, and while everything is deleted; else those do that record, each in one way, and every fourth beside a deletion. */
const cases = writes.flatMap((write, i) => {
  const met = judged[write.name] ?? [];
  const fitting = ways.filter((how) => fits(how, write.table));
  const one = i % 4 === 3 ? deletions[(i >> 2) % deletions.length] : fitting[i % fitting.length];
  const chosen = isLong ? [...fitting, ...deletions] : recording.test(write.name) && one !== undefined ? [one] : [];
  return (met.length > 0 ? chosen : []).map((how, n) => {
    const journeys = isLong && how in failings ? met : met.slice(0, 1);
    return [`${write.name}, ${how}`, { write, how, journeys, tells: (i + n) % 2 === 1 }] as const;
  });
});

/** One kind of gateway after the other: those of both at once would be most of the work. */
describe.each([
  ["a patient gateway", {}],
  ["a hasty gateway", impatient],
])("nothing stays behind at %s", (_, limits) => {
  const lanes: Lane[] = [];
  afterAll(async () => {
    for (const lane of lanes) await lane[Symbol.asyncDispose]();
  });

  const ours = cases.filter(([, { how }]) => (how === "late") === (limits === impatient));
  it.concurrent.for(ours)("%s", { timeout: 3_600_000 }, async ([, { write, journeys, how, tells }]) => {
    const lane = lanes.pop() ?? (await openLane(limits));
    try {
      for (const journey of journeys) expect(await judge(lane, writes, write, { journey, how, tells })).toEqual([]);
    } finally {
      lanes.push(lane);
    }
  });
});
