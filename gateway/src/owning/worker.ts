import { isDatabaseAway, withTimeout } from "shared/db/statement";
import { eventIds } from "shared/server/logger";
import { doublingPause, repeat, retry } from "shared/server/retry";
import type { GatewayContext } from "../context.ts";

/** Nobody waits for messages that were taken over or taken from the queue: their last request starts this long after the take. */
export const takenSendMs = 12_000;

interface Owned {
  id: string;
}

export interface Kind<Row extends Owned> {
  /** The rows' name in the log. */
  name: string;
  /** The rows that are ours as far as the database knows; only for rows that are taken by `take`. */
  listOwned?: () => Promise<Row[]>;
  /** Gives back those of the rows that are ours, and were not taken anew since; answers them. */
  handBack: (rows: readonly Row[], inDoubt: boolean) => Promise<readonly Owned[]>;
}

/** The rows of one run. */
export interface Hand<Row> {
  /** Something happens outside from now on: without a result these rows come back in doubt, the others as if they had not been taken. */
  begin: (rows: readonly Owned[]) => void;
  /** Gives rows back that are not worked on after all. Never throws. */
  giveBack: (rows: readonly Row[]) => Promise<void>;
  /** Records results, by a statement about all of these rows or about parts of them. Results that cannot be recorded are lost, and their rows go back. Never throws. */
  record: <R extends Row>(rows: readonly R[], act: (part: readonly R[]) => Promise<unknown>) => Promise<void>;
}

export type Worker<Row extends Owned> = ReturnType<typeof createWorker<Row>>;

type WorkerContext = Pick<GatewayContext, "clock" | "config" | "log" | "pulse">;

/**
 * The rows of one kind that this gateway owns. What it takes it works on, and work ends in one of two ways: its result is recorded, or the row goes back.
 * So nothing stays owned that nobody works on, whichever statement fails: what could not go back goes back as soon as it can, and so does what was taken by
 * a statement whose answer never came.
 */
export function createWorker<Row extends Owned>(context: WorkerContext, kind: Kind<Row>) {
  const { statementMs, patientMs, ownedMs, restMs } = context.config.timeLimits;
  const rows = createOwnedRows(context, kind);
  const takes = new Set<Promise<unknown>>();

  /** Waits for a statement that takes rows, to be worked on with `run`. Throws the database's error. */
  const take = async <T>(statement: Promise<T>, rowsOf: (taken: T) => readonly Row[]): Promise<T> => {
    const answer = withTimeout(statement, patientMs);
    takes.add(answer);
    try {
      const taken = await answer;
      for (const { id } of rowsOf(taken)) rows.open(id);
      return taken;
    } finally {
      takes.delete(answer);
    }
  };

  const isStrange = ({ id }: Row): boolean => !rows.ours.has(id);
  const look = async (): Promise<void> => {
    const owned = kind.listOwned === undefined ? [] : await withTimeout(kind.listOwned(), statementMs);
    // A take that is under way brings rows that the database knows already.
    if (owned.some(isStrange)) await Promise.allSettled(takes);
    for (const row of owned.filter(isStrange)) rows.giveBack(row, false);
    await rows.giveLostBack([...rows.lost.values()]);
  };

  return {
    ...rows,
    take,
    run: createRun(context, kind.name, rows),
    /** The first of the open rows. */
    oldest: (): string | undefined => rows.ours.values().next().value,
    /** True if so much has to go back that nothing more should be begun. */
    isFull: (): boolean => rows.lost.size >= mostLost,
    stop: repeat(look, ownedMs, context.log, { pulse: context.pulse, quietMs: restMs }),
  };
}

/** A row that nobody works on any more. */
interface Lost<Row> {
  row: Row;
  inDoubt: boolean;
  since: number;
}

/** A statement that was given up may still be carried out for this long. */
const lateMs = 20_000;
/** How many rows one statement gives back. */
const atOnce = 1_000;
/** Many times the number of rows that can be under way when a database goes away. */
const mostLost = 100_000;

function createOwnedRows<Row extends Owned>({ clock, config, log, pulse }: WorkerContext, { name, listOwned, handBack }: Kind<Row>) {
  /** The ids of all rows that are ours, in the order in which they came. */
  const ours = new Set<string>();
  const lost = new Map<string, Lost<Row>>();
  /** Those who wait for the end of the work on a row, by its id. */
  const waiting = new Map<string, (() => void)[]>();
  const tellEnd = (id: string): void => {
    waiting.get(id)?.forEach((wake) => wake());
    waiting.delete(id);
  };

  /** Notes a row that is ours from now on, or soon; in the order of the ids. */
  const open = (id: string): void => void (lost.delete(id), ours.add(id));
  /** Notes that the row is no longer ours, or never will be. */
  const close = (id: string): void => {
    lost.delete(id);
    ours.delete(id);
    tellEnd(id);
  };
  /** Gives a row back, soon. If the statement that makes it ours may still be under way, it is looked for until that can no longer be. */
  const giveBack = (row: Row, inDoubt: boolean): void => {
    lost.set(row.id, { row, inDoubt, since: clock.monotonic() });
    pulse?.stir();
    tellEnd(row.id);
  };
  /** Resolves once nobody works on the row here any more, after `atMost` ms at the latest; after `elsewhere` ms if nobody does. */
  const ended = (id: string, { atMost, elsewhere }: { atMost: number; elsewhere: number }): Promise<void> =>
    new Promise((wake) => {
      const isHere = ours.has(id) && !lost.has(id);
      const timer = setTimeout(wake, isHere ? atMost : Math.min(elsewhere, atMost));
      if (isHere) waiting.set(id, [...(waiting.get(id) ?? []), () => (clearTimeout(timer), wake())]);
    });

  const goBack = async (some: readonly Lost<Row>[], inDoubt: boolean): Promise<void> => {
    const began = clock.monotonic();
    const rows = some.map(({ row }) => row);
    const found = new Set((await withTimeout(handBack(rows, inDoubt), config.timeLimits.patientMs)).map(({ id }) => id));
    // A row may have been taken anew meanwhile; one that no answered statement has taken may still become ours.
    const isOver = ({ row: { id }, since }: Lost<Row>): boolean => listOwned !== undefined || found.has(id) || began - since > lateMs;
    for (const one of some) if (lost.get(one.row.id) === one && isOver(one)) close(one.row.id);
  };
  /** What fails is tried again with the next look. */
  const giveLostBack = async (some: readonly Lost<Row>[]): Promise<void> => {
    for (const inDoubt of [false, true]) {
      const alike = some.filter((one) => one.inDoubt === inDoubt);
      for (let from = 0; from < alike.length; from += atOnce) {
        const failed = await inParts(alike.slice(from, from + atOnce), (part) => goBack(part, inDoubt));
        for (const { error, items } of failed) {
          const rows = items.map(({ row }) => row);
          log.warn({ err: error, rows: rows.length, ...eventsOf(name, rows) }, `${name} could not be given back yet`);
        }
      }
    }
  };
  return { ours, lost, open, close, giveBack, ended, giveLostBack };
}

const eventsOf = (name: string, rows: readonly Owned[]) =>
  eventIds(rows.flatMap((row) => (name === "events" ? row.id : "event_id" in row && typeof row.event_id === "string" ? row.event_id : [])));

/** How long a result is kept while the database is away. */
export const awayMs = 10 * 60_000;

function createRun<Row extends Owned>({ clock, config, log }: WorkerContext, name: string, rows: ReturnType<typeof createOwnedRows<Row>>) {
  /** Tries again what the database may accept later. */
  const insist = (act: () => Promise<unknown>, patienceMs: number): Promise<unknown> => {
    const since = clock.monotonic();
    const again = (error: unknown): boolean => {
      const isWorthIt = clock.monotonic() - since < (isDatabaseAway(error) ? awayMs : patienceMs);
      if (isWorthIt) log.warn({ err: error }, `results of ${name} wait for the database`);
      return isWorthIt;
    };
    return retry(act, { pauseMs: doublingPause, again });
  };

  /** Works on rows, and gives back those whose results were not recorded. Never throws; false if `work` failed, or results were lost. */
  return async (given: readonly Row[], work: (hand: Hand<Row>) => Promise<void>): Promise<boolean> => {
    const left = new Map(given.map((row) => [row.id, row]));
    const begun = new Set<string>();
    let isWhole = true;
    const end = (some: readonly Row[]): void => some.forEach(({ id }) => left.delete(id) && rows.close(id));
    const lose = async (some: readonly Row[]): Promise<void> => {
      for (const row of some) if (left.delete(row.id)) rows.giveBack(row, begun.has(row.id));
      await rows.giveLostBack(some.flatMap(({ id }) => rows.lost.get(id) ?? []));
    };
    const record: Hand<Row>["record"] = async (some, act) => {
      // A refusal may pass. If it does not, all rows but those that are refused are recorded.
      const patienceOf = (part: readonly Row[]): number => (part === some ? config.timeLimits.refusedMs : 0);
      const failed = await inParts(some, (part) => insist(() => act(part), patienceOf(part)).then(() => end(part)));
      for (const { items, error } of failed)
        log.error({ err: error, rows: items.length, ...eventsOf(name, items) }, `results of ${name} could not be recorded`);
      isWhole &&= failed.length === 0;
      await lose(failed.flatMap(({ items }) => items));
    };
    try {
      await work({ begin: (some) => some.forEach(({ id }) => begun.add(id)), giveBack: lose, record });
    } catch (error) {
      log.error({ err: error, rows: left.size, ...eventsOf(name, [...left.values()]) }, `${name} could not be worked on`);
      isWhole = false;
    }
    await lose([...left.values()]);
    return isWhole;
  };
}

/** Runs a statement about all items, or, where the database refuses it, about ever fewer: one bad row harms no other. Answers those for which it failed. */
async function inParts<T>(
  items: readonly T[],
  act: (part: readonly T[]) => Promise<unknown>,
): Promise<{ items: readonly T[]; error: unknown }[]> {
  if (items.length === 0) return [];
  try {
    await act(items);
    return [];
  } catch (error) {
    if (items.length === 1 || isDatabaseAway(error)) return [{ items, error }];
    const half = items.length >> 1;
    return [...(await inParts(items.slice(0, half), act)), ...(await inParts(items.slice(half), act))];
  }
}
