import type { NotificationResult } from "shared/db/event/settle";
import type { TakenEvent, UnsettledNotification } from "shared/db/event/take-over";
import { plainRows } from "shared/secrets/row-codec";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { GatewayContext } from "../context.ts";
import type { Dispatch } from "../sending/outcome.ts";
import type { SiteConfig } from "../sites/sites.ts";
import { defaultTimeLimits } from "../time-limits.ts";
import type { Settle } from "./deliver.ts";
import { createRecover, type Recover } from "./recover.ts";

/** The text by which each statement is recognized; the first that fits counts. */
const marks = {
  take: "with lapsed as",
  list: "as waited",
  hears: "from platform_callback",
  mark: "with still_ours as",
  finish: "with tally as",
  release: "update event_due d set",
};
type Statement = keyof typeof marks;

const anEvent: TakenEvent = { id: "e", site_id: "site", account_id: "account", keyed: true };
const aTemplate = { template: "order_created", language: "en_US" };
const aBinding = { binding_id: "binding", throttle: null, marketing: false };
const queued = { attempt: 1, status: "queued" as const, waited: false, components: '[{"type":"body","parameters":[]}]' };
const message = (id: string, more: object = {}): UnsettledNotification => ({
  ...aTemplate,
  ...aBinding,
  ...queued,
  id,
  to_phone: `+1555${id}`,
  ...more,
});
const several = (n: number) => Array.from({ length: n }, (_, i) => message(`m${i}`));
const sent = ({ id, attempt }: { id: string; attempt: number }) => ({ id, attempt, status: "sent" }) as NotificationResult;

/** Monotonic ms. */
let time: number;
let messages: UnsettledNotification[];
/** Whether the account hears callbacks, and whether its event has no open message in the end. */
let hears: boolean;
let finishes: boolean;
let asked: [Statement, ...unknown[]][];
let site: SiteConfig | null;
let recover: Recover;

/** The statements that return rows. */
const rows: Partial<Record<Statement, (values: unknown[]) => Promise<unknown[]>>> = {
  list: async () => Promise.resolve(messages),
  hears: async () => Promise.resolve(hears ? [{}] : []),
  mark: async (values) => {
    const attemptOf = (id: string) => messages.filter((one) => one.id === id && one.status === "sending").length + 1;
    return Promise.resolve((values.at(-1) as string[]).map((id) => ({ id, attempt: attemptOf(id) })));
  },
  finish: async () => Promise.resolve(finishes ? [{}] : []),
};
let answer: typeof rows;

/** A part of a statement, with its parameters. */
class Fragment {
  readonly values: unknown[];
  constructor(values: unknown[]) {
    this.values = values;
  }
}

const sql = (strings: TemplateStringsArray, ...given: unknown[]): unknown => {
  const values = given.flatMap((value) => (value instanceof Fragment ? value.values : [value]));
  const text = strings.join("?");
  // No gateway's lease has ended.
  if (text.includes("from gateway")) return Promise.resolve([]);
  if (text.includes("select from event_due")) return Promise.resolve([{}]);
  const name = (Object.keys(marks) as Statement[]).find((one) => text.includes(marks[one]));
  if (!name) return new Fragment(values);
  asked.push([name, ...values]);
  return answer[name]?.(values) ?? Promise.resolve([]);
};
const dispatch = vi.fn<Dispatch>(async (_, wave) => Promise.resolve(wave.map(sent)));
const settle = vi.fn<Settle["record"]>(async () => Promise.resolve(true));
const refresh = vi.fn<(siteId: string) => Promise<SiteConfig | null>>(async () => Promise.resolve(site));
const line = () => vi.fn<(entry: object, text: string) => void>();
const log = { info: line(), warn: line(), error: line() };

beforeEach(() => {
  // Not the date: ids must not run ahead of it in what the same process tests afterwards.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.clearAllMocks();
  [time, messages, hears, finishes, asked] = [1_000_000, [], false, true, []];
  answer = { ...rows };
  site = { id: "site", accountId: "account", hasOptOuts: false, rows: plainRows } as SiteConfig;
  const context = {
    sql: Object.assign(sql, { begin: async (run: (transaction: typeof sql) => unknown) => run(sql), unsafe: () => new Fragment([]) }),
    log,
    clock: { now: () => new Date(), monotonic: () => time },
    config: { inDoubtSeconds: 120, timeLimits: defaultTimeLimits },
    vault: { fingerprint: (text: string) => text },
  } as unknown as GatewayContext;
  recover = createRecover(context, { refresh }, dispatch, { record: settle });
});
afterEach(() => {
  void recover.stop();
  vi.useRealTimers();
});

const take = (...events: TakenEvent[]) => void (answer.take = async () => Promise.resolve(events));
/** The first values of every statement of this kind. */
const of = (statement: Statement) => asked.filter(([name]) => name === statement).map(([, ...values]) => values);

/** Resumes the event `e`, of which these messages are open. */
const resume = async (open: UnsettledNotification[], more: Partial<TakenEvent> = {}) => {
  messages = open;
  take({ ...anEvent, ...more });
  await recover.resume("site", "e");
};

describe("messages that waited", () => {
  it.each([
    [11_999, 2],
    [12_000, 1],
  ])("are no more begun 12 s later (after %i ms: %i waves)", async (ms, waves) => {
    finishes = false;
    dispatch.mockImplementationOnce(async (_, wave) => {
      time += ms;
      return Promise.resolve(wave.map(sent));
    });
    await resume(several(25));
    expect(dispatch).toHaveBeenCalledTimes(waves);
    expect(of("release")).toHaveLength(1);
  });
});

describe("the look at everything that has lapsed", () => {
  const events = (n: number) => Array.from({ length: n }, (_, i) => ({ ...anEvent, id: `e${i}` }));

  it("comes every second, takes twenty of whatever site, and goes on at once while there may be more", async () => {
    const found = [events(20), events(20), events(19), []];
    answer.take = async () => Promise.resolve(found.shift() ?? []);
    await vi.advanceTimersByTimeAsync(999);
    expect(of("take")).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(of("take")).toEqual(Array(3).fill([20, expect.any(String), 20]));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(of("take")).toHaveLength(4);
  });

  it("is given up after the time of a statement; what it took goes back, and it comes again a second later", async () => {
    answer.take = async () => new Promise(() => undefined);
    await vi.advanceTimersByTimeAsync(1_000 + defaultTimeLimits.statementMs - 1);
    expect(log.error).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(log.error.mock.calls[0]?.[0]).toMatchObject({ err: { code: "ETIMEDOUT" } });
    expect(of("take")).toHaveLength(1);
    expect(of("release")[0]).toEqual([2, [of("take")[0]?.at(-2)]]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(of("take")).toHaveLength(2);
  });

  it("is given up after two leases whatever it waits for", async () => {
    take(anEvent);
    answer.list = async () => new Promise(() => undefined);
    await vi.advanceTimersByTimeAsync(1_000 + 39_999);
    expect(log.warn).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(log.warn.mock.calls[0]?.[0]).toMatchObject({ err: { code: "ETIMEDOUT" } });
    expect(of("take")).toHaveLength(1);
  });

  it("ends with the event that it is at, and none comes after it", async () => {
    let found: (events: TakenEvent[]) => void = () => undefined;
    answer.take = async () => new Promise((resolve) => (found = resolve));
    await vi.advanceTimersByTimeAsync(1_000);
    let isOver = false;
    const stopped = recover.stop().then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(0);
    expect(isOver).toBe(false);
    found(events(20));
    await stopped;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(of("take")).toHaveLength(1);
    expect(of("finish")).toHaveLength(20);
  });
});
