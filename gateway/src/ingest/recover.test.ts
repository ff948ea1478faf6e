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

const anEvent: TakenEvent = { id: "e", site_id: "site", account_id: "account", keyed: true, bindings_run: 1 };
const aTemplate = { template: "order_created", language: "en_US" };
const aBinding = { binding_id: "binding", throttle: null };
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
const inDoubt = (id: string, more: object = {}) => message(id, { status: "sending", waited: true, ...more });
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
  site = { id: "site", accountId: "account", marketing: null, rows: plainRows } as SiteConfig;
  const context = {
    sql: Object.assign(sql, { begin: async (run: (transaction: typeof sql) => unknown) => run(sql), unsafe: () => new Fragment([]) }),
    log,
    clock: { now: () => new Date(), monotonic: () => time },
    config: { inDoubtSeconds: 120, timeLimits: defaultTimeLimits },
    vault: { fingerprint: (text: string) => text },
  } as unknown as GatewayContext;
  recover = createRecover(context, { peek: () => undefined, refresh }, dispatch, { record: settle });
});
afterEach(() => {
  void recover.stop();
  vi.useRealTimers();
});

const take = (...events: TakenEvent[]) => void (answer.take = async () => Promise.resolve(events));
/** The first values of every statement of this kind. */
const of = (statement: Statement) => asked.filter(([name]) => name === statement).map(([, ...values]) => values);
const told = ({ id, attempt, status, error_code: code }: NotificationResult) => `${id} ${attempt} ${code ?? status}`;
const recorded = () => settle.mock.calls.map(([{ results }]) => results.map(told));
const handedOver = () => dispatch.mock.calls.map(([, wave]) => wave.map(({ id, attempt }) => `${id} ${attempt}`));
const calls = () => [refresh, dispatch, settle].map((spy) => spy.mock.calls.length);

/** Resumes the event `e`, of which these messages are open. */
const resume = async (open: UnsettledNotification[], more: Partial<TakenEvent> = {}) => {
  messages = open;
  take({ ...anEvent, ...more });
  await recover.resume("site", "e");
};

describe("an event that is taken over", () => {
  it("is the one that was asked for, by a new owner, for as long as a lease", async () => {
    await resume([]);
    await recover.resume("site", "e");
    expect(of("take")).toEqual(Array(2).fill(["site", "e", 1, expect.any(String), 20]));
    expect(of("take")[0]?.at(-2)).not.toBe(of("take")[1]?.at(-2));
    expect(of("list")[0]).toEqual([120, "site", "e"]);
  });

  it("of which nothing is open is finished, and the log tells which one", async () => {
    await resume([]);
    expect(asked.map(([name]) => name)).toEqual(["take", "list", "finish"]);
    expect(of("finish")[0]?.at(-1)).toBe(of("take")[0]?.at(-2));
    expect(log.info.mock.calls).toEqual([[{ event_id: "e" }, "an unfinished event is finished"]]);
    expect(calls()).toEqual([0, 0, 0]);
  });

  it("that still waits for the platform's word is let go for two seconds", async () => {
    finishes = false;
    hears = true;
    await resume([message("m", { status: "sending" })]);
    expect(asked.map(([name]) => name)).toEqual(["take", "list", "finish", "release"]);
    expect(of("release")).toEqual([[2, [of("take")[0]?.at(-2)]]]);
    expect([log.info.mock.calls.length, ...calls()]).toEqual([0, 0, 0, 0]);
  });

  it("that cannot be worked on keeps no other from being finished", async () => {
    take({ ...anEvent, id: "lost" }, anEvent);
    answer.list = async ([, , id]) => (id === "lost" ? Promise.reject(new Error("away")) : Promise.resolve([]));
    expect(await recover.sweep()).toBe(2);
    expect(log.error.mock.calls).toEqual([[{ err: new Error("away") }, "recovery failed"]]);
    expect(log.info.mock.calls).toMatchObject([[{ event_id: "e" }, {}]]);
    // What could not be worked on goes back at once.
    expect(of("release")).toEqual([[2, [of("take")[0]?.at(-2)]]]);
  });
});

describe("messages that waited", () => {
  it("are sent as they were planned, and recorded for the event's new owner", async () => {
    await resume([message("a"), message("b")]);
    const owner = of("take")[0]?.at(-2);
    expect(of("mark")).toEqual([[20, "site", "e", "site", "e", owner, "site", ["a", "b"]]]);
    const { components } = queued;
    const outgoing = (id: string) => ({ ...aTemplate, id, eventId: "e", toPhone: `+1555${id}`, components, attempt: 1, throttle: null });
    expect(dispatch.mock.calls).toEqual([
      [site, [outgoing("a"), outgoing("b")], { startBy: 1_000_000 + 12_000, cutAt: 1_000_000 + 19_500 }],
    ]);
    const progress = { site_id: "site", id: "e", owner, chat: null, recipients_sent: 0, recipients_failed: 0 };
    expect(settle.mock.calls).toEqual([
      [{ results: [sent(outgoing("a")), sent(outgoing("b"))], next: [], event: progress, hasWebhooks: true }, 1_000_000 + 20_000],
    ]);
    expect(of("hears")).toEqual([]);
  });

  it("are sent within the lease, which is counted from before their mark: none is late because the database was slow before", async () => {
    answer.take = async () => {
      time += 8_000;
      return Promise.resolve([anEvent]);
    };
    messages = [message("a")];
    await recover.sweep();
    expect(dispatch.mock.calls[0]?.[2]).toEqual({ startBy: 1_008_000 + 12_000, cutAt: 1_008_000 + 19_500 });
  });

  it.each([[[20]], [[20, 20, 5]]])("are sent in waves of twenty (%j), each on a fresh look at the site", async (sizes) => {
    const all = several(sizes.reduce((sum, size) => sum + size));
    await resume(all);
    expect(handedOver().flat()).toEqual(all.map(({ id }) => `${id} 1`));
    expect(of("mark").map((values) => (values.at(-1) as string[]).length)).toEqual(sizes);
    expect(refresh.mock.calls).toEqual(sizes.map(() => ["site"]));
  });

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

  it("are sent only if they could be marked, and nothing is recorded of none", async () => {
    answer.mark = async () => Promise.resolve([{ id: "b", attempt: 1 }]);
    await resume([message("a"), message("b")]);
    expect(handedOver()).toEqual([["b 1"]]);
    vi.clearAllMocks();
    answer.mark = async () => Promise.resolve([]);
    await resume([message("a"), message("b")]);
    expect(calls()).toEqual([1, 0, 0]);
  });
});

describe("messages in doubt", () => {
  it("are sent once more, after those that waited, where callbacks would have told of them", async () => {
    hears = true;
    await resume([inDoubt("a"), message("b", { waited: true }), inDoubt("c", { attempt: 2 }), message("d", { status: "sending" })]);
    expect(of("hears")).toEqual([["account"]]);
    expect(of("mark").map((values) => values.at(-1))).toEqual([["b", "a"]]);
    expect(handedOver()).toEqual([["b 1", "a 2"]]);
    expect(recorded()).toEqual([["c 2 interrupted"], ["b 1 sent", "a 2 sent"]]);
  });

  it("and those that waited are closed at once when the event has no key", async () => {
    hears = true;
    await resume([message("a"), inDoubt("b"), message("c", { status: "sending" })], { keyed: false });
    expect(recorded()).toEqual([["a 1", "b 1", "c 1"].map((which) => `${which} interrupted`)]);
    expect(handedOver()).toEqual([]);
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
