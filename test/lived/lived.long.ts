import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { eventOutcomes } from "shared/core/event";
import { notificationStatuses } from "shared/core/message";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openBrowser } from "../support/browser.ts";
import { newAccounts } from "./shops/accounts.ts";
import { liveToday, type Today, underWay } from "./today.ts";
import { walkExports } from "./walk/exports.ts";
import { unexpectedLines } from "./walk/logs.ts";
import { uncalledPaths, walkMutations } from "./walk/mutations.ts";
import { walkPages } from "./walk/pages.ts";
import { walkQueries } from "./walk/queries.ts";
import { type LivedWorld, makeWorld, startWorld } from "./world.ts";

// One installation, used for a month: made by the product's own code day by day, the last day on the programs of `npm start`. Then everything that people can
// ask of it is asked. `npm run test:lived` does so with 50,000 events, and can leave the installation to be looked at.

vi.setConfig({ testTimeout: 600_000, hookTimeout: 1_200_000 });

const { LIVED_EVENTS = "6000", LIVED_FOLDER: kept, LIVED_AGAIN: isAgain } = process.env;
const folder = resolve(kept ?? join(tmpdir(), `tidings-lived-${process.pid}`));
const browser = await openBrowser();

describe("an installation with a month behind it", () => {
  let world: LivedWorld;
  let today: Today;
  const accountId = (place: number): string => world.accounts[place]?.id ?? "";

  beforeAll(async () => {
    if (isAgain === undefined) await makeWorld(folder, Number(LIVED_EVENTS));
    world = await startWorld(folder);
    today = await liveToday(world, 400);
  });
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
    if (kept === undefined) await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  });

  test("took every event, and said when to come back only while something was broken", () => {
    expect(world.past.tally.failures).toEqual({});
    expect(today["an endpoint is deleted"].failures).toEqual({});
    expect(today["secrets are replaced"].failures).toEqual({});
    const failures = Object.values(today).flatMap((tally) => Object.keys(tally.failures));
    expect(failures.filter((failure) => !/^(?:0|503) /u.test(failure))).toEqual([]);
  });

  test("has seen everything that can become of events and messages", async () => {
    const outcomes = await world.sql<{ chat: string }[]>`select distinct chat from event where chat is not null`;
    expect(outcomes.map(({ chat }) => chat)).toEqual(expect.arrayContaining([...eventOutcomes]));
    const statuses = await world.sql<{ status: string }[]>`select distinct status from notification`;
    const lasting = notificationStatuses.filter((status) => !["queued", "sending"].includes(status));
    expect(statuses.map(({ status }) => status)).toEqual(expect.arrayContaining(lasting));
  });

  test.each(newAccounts.map(({ name }, place) => [name, place] as const))(
    "answers every query of %s, with each filter",
    async (_, place) => {
      expect((await walkQueries(world, accountId(place))).faults).toEqual([]);
    },
  );

  test.each(newAccounts.map(({ name }, place) => [name, place] as const))("writes every file of %s", async (_, place) => {
    const { faults, rows } = await walkExports(world, accountId(place));
    expect(faults).toEqual([]);
    expect(Object.values(rows).filter((count) => count === 0)).toEqual([]);
  });

  test.skipIf(browser === undefined)("shows every page with its rows to owner, operator and viewer", async () => {
    expect((await walkPages(browser, world, accountId(0))).faults).toEqual([]);
  });

  test("comes to rest: nothing is owned that nobody works on", async () => {
    await expect.poll(() => underWay(world), { timeout: 90_000 }).toEqual({ callbacks: 0, sending: 0, waiting: 0, deliveries: 0 });
  });

  // ORACLE: here every number that a person sees is compared with the oracle's, for each account, while nothing happens:
  // checkNumbers({ sql, call, file, accountId, timezone, now }) of oracle/check-numbers.ts.

  test("does every change", async () => {
    expect(uncalledPaths()).toEqual([]);
    expect((await walkMutations(world, accountId(0))).faults).toEqual([]);
  });

  test("has no line in its logs that nobody expects", async () => {
    expect(await unexpectedLines(world)).toEqual([]);
  });
});
