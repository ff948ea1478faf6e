import { rm } from "node:fs/promises";
import { eventOutcomes } from "shared/core/event";
import { notificationStatuses } from "shared/core/message";
import { countDays, findSitesToCount } from "shared/db/notification/statistics";
import { inTransaction } from "shared/db/statement";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openBrowser } from "../support/browser.ts";
import { changeMany } from "./oracle/changes.ts";
import { type Area, checkNumbers, compare } from "./oracle/check-numbers.ts";
import { type Checked, comparisons } from "./oracle/compare.ts";
import { planted, victimsOf } from "./oracle/planted.ts";
import { readRows } from "./oracle/rows.ts";
import { dayMs, madeAt } from "./oracle/times.ts";
import { newAccounts, signIn } from "./shops/accounts.ts";
import { liveToday, type Today, underWay } from "./today.ts";
import { writeExamples } from "./walk/examples.ts";
import { walkExports } from "./walk/exports.ts";
import { unexpectedLines } from "./walk/logs.ts";
import { bookAppointments, uncalledPaths, walkMutations } from "./walk/mutations.ts";
import { walkPages } from "./walk/pages.ts";
import { walkQueries } from "./walk/queries.ts";
import { type LivedWorld, makeWorld, startWorld } from "./world.ts";

export interface Month {
  folder: string;
  /** The events of days 1 to 29, and those of today. */
  events: number;
  today: number;
  /** The month is there already. */
  isAgain?: boolean;
  /** It stays there. */
  isKept?: boolean;
  /** Every page is opened in each state, and everybody asks and changes everything in every account, with each filter; else the owner of one, without a filter beside what the oracle asks. */
  isThorough: boolean;
  /** In the end errors are planted, which the oracle has to find. */
  isSpoiled?: boolean;
}

/**
 * One installation, used for a month: made by the product's own code day by day, the last day on the programs of `npm start`. Then everything that people can
 * ask of it is asked, and every number that it tells is counted once more.
 */
export async function testMonth({ folder, events, today: eventsToday, isAgain, isKept, isThorough, isSpoiled }: Month): Promise<void> {
  vi.setConfig({ testTimeout: 600_000, hookTimeout: 1_200_000 });
  const browser = isThorough ? await openBrowser() : undefined;
  const places = newAccounts.map(({ name }, place) => [name, place] as const);
  const asking = isThorough ? places : places.slice(0, 1);

  describe("an installation with a month behind it", () => {
    let world: LivedWorld;
    let today: Today;
    /** What there was, for those who want to know how much this says. */
    const seen: Record<string, unknown> = { comparisons };
    const accountId = (place: number): string => world.accounts[place]?.id ?? "";

    beforeAll(async () => {
      if (isAgain !== true) await makeWorld(folder, events);
      world = await startWorld(folder);
      today = await liveToday(world, eventsToday);
    });
    afterAll(async () => {
      if (isThorough) process.stdout.write(`${JSON.stringify(seen, null, 1)}\n`);
      await world?.[Symbol.asyncDispose]();
      if (isKept !== true) await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    });

    test("took every event, and said when to come back only while something was broken", () => {
      expect(world.past.tally.failures).toEqual({});
      expect(today["an endpoint is deleted"].failures).toEqual({});
      expect(today["secrets are replaced"].failures).toEqual({});
      const failures = Object.values(today).flatMap((tally) => Object.keys(tally.failures));
      expect(failures.filter((failure) => !/^(?:0|503) /u.test(failure))).toEqual([]);
    });

    test("has seen everything that can become of events and messages", async () => {
      const outcomes = await countOf(world, "event", "chat");
      const statuses = await countOf(world, "notification", "status");
      Object.assign(seen, { outcomes, statuses, deliveries: await countOf(world, "webhook_delivery", "status") });
      expect(Object.keys(outcomes)).toEqual(expect.arrayContaining([...eventOutcomes]));
      const lasting = notificationStatuses.filter((status) => !["queued", "sending"].includes(status));
      expect(Object.keys(statuses)).toEqual(expect.arrayContaining(lasting));
    });

    test.each(asking)("answers every query of %s", async (_, place) => {
      const { calls, faults } = await walkQueries(world, accountId(place), isThorough);
      seen[`queries ${place}`] = calls;
      expect(faults).toEqual([]);
    });

    test.each(asking)("writes every file of %s", async (_, place) => {
      const { faults, rows } = await walkExports(world, accountId(place));
      expect(faults).toEqual([]);
      expect(Object.values(rows).filter((count) => count === 0)).toEqual([]);
    });

    test.skipIf(browser === undefined).each(isThorough ? places.slice(0, 1) : [])(
      "shows every page of %s with its rows",
      async (_, place) => {
        const { calls, faults } = await walkPages(browser, world, accountId(place));
        seen["pages"] = calls;
        expect(faults).toEqual([]);
      },
    );

    test("comes to rest: nothing is owned that nobody works on", async () => {
      await expect.poll(() => underWay(world), { timeout: 90_000 }).toEqual({ callbacks: 0, sending: 0, waiting: 0, deliveries: 0 });
      // The server does it once a minute, for which the long form waits.
      if (isThorough) return;
      for (const siteId of await findSitesToCount(world.sql, 1_000))
        while (await inTransaction(world.sql, async (sql) => countDays(sql, siteId)));
    });

    test.each(places)("tells %s the numbers that its rows say", async (_, place) => {
      const of = isThorough ? undefined : areasOf[place];
      expect(await checkNumbers(await checkedOf(world, place), { patienceMs: 90_000, of })).toEqual([]);
    });

    test.each(isSpoiled === true ? planted : [])("%s turns the oracle red", async (_, area, finding, victim, plant) => {
      const { account, rows, id } = await accountWith(world, victim);
      await plant(id, world.sql);
      const places = async () => (await compare(account, rows, [area])).map(({ where }) => where);
      // A list of problems may be as old as the last look, some seconds.
      await expect.poll(places, { interval: 1_000 }).toContainEqual(expect.stringContaining(finding));
    });

    test("says of a change of many what its rows say", async () => {
      await bookAppointments(world, accountId(1));
      const { said, counted } = await changeMany(await checkedOf(world, 1));
      expect(said).toEqual(counted);
    });

    test("does every change", async () => {
      expect(uncalledPaths()).toEqual([]);
      const { calls, faults } = await walkMutations(world, accountId(0), isThorough);
      seen["changes"] = calls;
      expect(faults).toEqual([]);
      if (process.env["LIVED_EXAMPLES"] === "write") writeExamples();
    });

    test("has no line in its logs that nobody expects", async () => {
      expect(await unexpectedLines(world)).toEqual([]);
    });
  });
}

/** What the short form compares of the second and the third account: what goes by their time zone, and what one of them has encrypted. */
const areasOf: Partial<Record<number, Area[]>> = { 1: ["statistics", "setup"], 2: ["statistics", "events", "problems"] };

/** How many rows have which value. */
async function countOf({ sql }: LivedWorld, table: string, column: string): Promise<Record<string, number>> {
  const rows = await sql<{ value: string; count: number }[]>`
    select ${sql(column)} as value, count(*)::int as count from ${sql(table)} where ${sql(column)} is not null group by 1 order by 2 desc`;
  return Object.fromEntries(rows.map(({ value, count }) => [value, count]));
}

/** The smallest account with such a row of the last day, since an oracle of few rows is quick; else the largest. */
async function accountWith(world: LivedWorld, victim: keyof ReturnType<typeof victimsOf>) {
  for (const place of [newAccounts.length - 1, 0]) {
    const account = await checkedOf(world, place);
    const rows = await readRows(world.sql, account.accountId);
    const id = victimsOf(rows)[victim];
    if (place === 0 || (id !== "" && madeAt(id) > world.now.getTime() - dayMs)) return { account, rows, id };
  }
  throw new Error("there is no account");
}

/** An account as the oracle takes it. Its owner signs in now: a long file needs a fresh proof. */
async function checkedOf(world: LivedWorld, place: number): Promise<Checked> {
  const account = world.accounts[place];
  if (account === undefined) throw new Error(`there is no account ${place}`);
  const { id: accountId, timezone } = account;
  const token = await signIn(world.adminUrl, account.owner);
  return {
    sql: world.sql,
    accountId,
    timezone,
    now: new Date(),
    call: async (path, input) => await world.call(path, input, { accountId }),
    file: async (path) => {
      const { status, text } = await world.file(path, { token });
      if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
      return text;
    },
  };
}
