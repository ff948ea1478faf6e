import { optedOut } from "shared/core/plan";
import { largeBytes } from "shared/db/batch/large-turns";
import { orderId } from "shared/db/ids";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Given, messageOf, planned, site } from "../../../test/support/planned-event.ts";
import type { GatewayContext } from "../context.ts";
import type { GatewayLease } from "../owning/lease.ts";
import type { Worker } from "../owning/worker.ts";
import { defaultTimeLimits } from "../time-limits.ts";
import { composeDryRunAnswer } from "./answer.ts";
import { type Claim, createClaim } from "./claim.ts";
import type { PlannedEvent } from "./plan.ts";

const { leaseMs, statementMs } = defaultTimeLimits;
const withCode = (code: string): Error => Object.assign(new Error(code), { code });
const away = withCode("ECONNREFUSED");
const taken = withCode("23505");
const wrong = withCode("22P05");

type Row = { id: string; claimed: boolean; opted_out?: number[] };
const claimedRow = (id: string): Row => ({ id, claimed: true });
const hangs = async () => new Promise<never>(() => undefined);
const fails = (error: Error) => async () => Promise.reject(error);

/** The statements, with the ids of their events. */
let statements: { at: number; ids: string[]; params: readonly unknown[] }[];
/** The outcomes of the next statements; later ones claim all. */
let script: ((ids: string[]) => Promise<Row[]>)[];
/** Whether the gateway still has its lease at each of the next statements; at later ones it has. */
let leaseHolds: boolean[];
let claim: Claim;
/** Whether the event is stored, as far as the database knows. */
const isStored = vi.fn<(strings: TemplateStringsArray, siteId: string, id: string) => Promise<object[]>>();
const giveBack = vi.fn<Worker<{ site_id: string; id: string }>["giveBack"]>();
const close = vi.fn<(id: string) => void>();
const renew = vi.fn<GatewayLease["renew"]>(async () => Promise.resolve(void (lease.endsAt = now() + leaseMs)));
let lease: { endsAt: number } & Pick<GatewayLease, "renew">;
const now = (): number => 1_000_000 + performance.now();

async function unsafe(_: string, params: readonly unknown[]): Promise<Row[]> {
  const ids = String(params[0])
    .split("\u001e")
    .map((row) => row.split("\u001f")[0] ?? "");
  statements.push({ at: performance.now(), ids, params });
  // The last row tells that the gateway has its lease.
  return [...((await script.shift()?.(ids)) ?? ids.map(claimedRow)), ...(leaseHolds.shift() === false ? [] : [claimedRow("instance")])];
}

beforeEach(() => {
  vi.useFakeTimers().clearAllMocks();
  // The timers' own `setImmediate` would take a millisecond, which would add up to the times of statements.
  vi.stubGlobal("setImmediate", queueMicrotask);
  [statements, script, leaseHolds] = [[], [], []];
  lease = { endsAt: now() + leaseMs, renew };
  isStored.mockReset().mockResolvedValue([]);
  const config = { timeLimits: defaultTimeLimits };
  const vault = { fingerprint: (text: string) => `hash of ${text}` };
  const context = { sql: isStored, events: { unsafe }, clock: { monotonic: now }, config, vault, instanceId: "instance" };
  claim = createClaim(context as unknown as GatewayContext, lease, { giveBack, close });
});
afterEach(() => void vi.unstubAllGlobals().useRealTimers());

/** How late a caller may learn that its time is over. */
const lateMs = 20;

/** Claims an event for a caller who waits this long; resolves with the outcome and its time. */
const begin = async (event: PlannedEvent, ms = 10_000) => {
  const ended = <T>(value: T): [T, number] => [value, performance.now()];
  return claim.run(event, now() + ms).then(ended, ended);
};
const pass = async (ms: number) => vi.advanceTimersByTimeAsync(ms);
const run = async (event: PlannedEvent, ms?: number) => {
  const outcome = begin(event, ms);
  await pass(20_000);
  return outcome;
};
const claimed = (id: string) =>
  expect.objectContaining({ kind: "claimed", event: expect.objectContaining({ delivery: expect.objectContaining({ id }) }) });
const givenBack = () => giveBack.mock.calls.map(([{ site_id, id }]) => `${site_id} ${id}`);
const statuses = () => statements.map(({ params }) => String(params[6]).match(/\b(sending|queued|failed)\b/g) ?? []);
const batches = () => statements.map(({ ids }) => ids.toSorted());

describe("a claim", () => {
  it("leaves the event as it was planned, with its order and what the lease had before the statement", async () => {
    script = [async (ids) => new Promise((resolve) => setTimeout(() => resolve(ids.map(claimedRow)), 300))];
    const event = planned("e", { payload: { order: { number: 5 } } }, 1);
    await pass(1_000);
    const leaseEndsAt = lease.endsAt;
    const owned = { delivery: event.delivery, orderId: orderId("site", { kind: "number", value: "5" }), leaseEndsAt };
    expect(await run(event)).toEqual([{ kind: "claimed", event: owned, planned: event }, 1_300]);
  });

  it("renews a lease of which less than half is left first, and takes it again where it was ended", async () => {
    lease.endsAt = now() + leaseMs / 2 - 1;
    const [first] = await run(planned("e"));
    expect(renew).toHaveBeenCalledTimes(1);
    expect(first).toMatchObject({ event: { leaseEndsAt: lease.endsAt } });
    await pass(1_000);
    leaseHolds = [false];
    lease.endsAt = now() + leaseMs - 1_000;
    const [again] = await run(planned("f"));
    expect(renew).toHaveBeenCalledTimes(2);
    expect(again).toMatchObject({ kind: "claimed", event: { leaseEndsAt: lease.endsAt } });
    expect(statements.map(({ ids }) => ids)).toEqual([["e"], ["f"], ["f"]]);
  });

  it("is made again with the messages to those who opted out logged as failed", async () => {
    script = [async () => Promise.resolve([{ id: "e", claimed: false, opted_out: [1] }])];
    const [result] = await run(planned("e", {}, 3));
    const messages = [messageOf(0), messageOf(1, optedOut), messageOf(2)];
    expect(result).toMatchObject({
      kind: "claimed",
      event: { delivery: { id: "e", messages, outcome: null } },
      planned: { delivery: { messages }, plan: { messages: messages.map(({ message }) => message) } },
    });
    expect(statuses().map((all) => all.join())).toEqual(["sending,sending,sending", "sending,failed,sending"]);
  });
});

describe("a claim that the database does not answer", () => {
  it("is tried again after ever longer pauses, as long as they end in time, and is then given back", async () => {
    script = Array(20).fill(fails(away));
    expect(await run(planned("e"), 4_550)).toEqual([away, 3_550]);
    expect(statements.map(({ at }) => at)).toEqual([0, 50, 150, 350, 750, 1_550, 2_550, 3_550]);
    expect(isStored).toHaveBeenCalledTimes(7);
    expect(givenBack()).toEqual(["site e"]);
  });

  it("is not made again when the event turns out to be stored", async () => {
    script = [fails(away)];
    isStored.mockResolvedValueOnce([{}]);
    expect(await run(planned("e"))).toEqual([claimed("e"), 50]);
    expect(isStored.mock.calls.map(([, ...values]) => values)).toEqual([["site", "e"]]);
    expect(statements).toHaveLength(1);
    expect(givenBack()).toEqual([]);
  });

  it("is not made again before it is known that the event is not stored", async () => {
    script = [fails(away)];
    isStored.mockRejectedValueOnce(away);
    expect(await run(planned("e"))).toEqual([claimed("e"), 150]);
    expect(statements.map(({ at }) => at)).toEqual([0, 150]);
  });

  it("may be stored by itself after all, while it is made again", async () => {
    script = [fails(away), fails(taken)];
    isStored.mockResolvedValueOnce([]).mockResolvedValueOnce([{}]);
    expect(await run(planned("e"))).toEqual([claimed("e"), 150]);
    expect(statements).toHaveLength(2);
    script = [fails(away), fails(taken)];
    expect((await run(planned("f"), 100))[0]).toBe(away);
    expect(givenBack()).toEqual(["site f"]);
  });

  it.each([
    ["at first", [fails(wrong)], wrong, 0, []],
    ["for an event that is stored before it was claimed", [fails(taken)], taken, 0, []],
    // The first statement may have stored it.
    ["when it is made again", [fails(away), fails(wrong)], wrong, 50, ["site e"]],
  ])("fails at once when it is refused %s", async (_, outcomes, error, at, back) => {
    script = outcomes;
    expect(await run(planned("e"))).toEqual([error, at]);
    expect(givenBack()).toEqual(back);
    expect(close).toHaveBeenCalledTimes(1 - back.length);
  });

  it("leaves an event to be looked for also when a later statement is answered: the first may store it all the same", async () => {
    script = [fails(away), async () => Promise.resolve([])];
    expect((await run(planned("e")))[0]).toEqual({ kind: "outdated" });
    expect(givenBack()).toEqual(["site e"]);
  });

  it("fails at once when it cannot be asked whether the event is stored", async () => {
    script = [fails(away)];
    isStored.mockRejectedValueOnce(wrong);
    expect(await run(planned("e"))).toEqual([wrong, 50]);
  });

  it.each([
    ["the first statement", [hangs], async () => Promise.resolve([])],
    ["the question whether it is stored", [fails(away)], hangs],
    ["the second statement", [fails(away), hangs], async () => Promise.resolve([])],
  ])("is waited for no longer than the caller waits: %s", async (_, outcomes, stored) => {
    script = outcomes;
    isStored.mockImplementation(stored);
    const [error, at] = await run(planned("e"), 2_000);
    expect(error).toMatchObject({ code: "ETIMEDOUT" });
    expect(at).toBeGreaterThanOrEqual(2_000);
    expect(at).toBeLessThanOrEqual(2_000 + lateMs);
    expect(givenBack()).toEqual(["site e"]);
  });

  it("counts as lost when a statement's time is over", async () => {
    script = [hangs];
    expect(await run(planned("e"))).toEqual([claimed("e"), statementMs + 50]);
  });
});

describe("events that come together", () => {
  /** Statements that succeed after this many ms. */
  const slow = (ms: number) => async (ids: string[]) => new Promise<Row[]>((end) => setTimeout(() => end(ids.map(claimedRow)), ms));
  const runAll = async (...events: PlannedEvent[]) => {
    const outcomes = Promise.all(events.map(async (event) => begin(event)));
    await pass(20_000);
    return outcomes;
  };

  it("share a statement, and each learns its own outcome", async () => {
    script = [async () => Promise.resolve([claimedRow("c"), { id: "b", claimed: false }])];
    const outcomes = await runAll(planned("a"), planned("b"), planned("c"));
    expect(outcomes.map(([result]) => result)).toEqual([{ kind: "outdated" }, { kind: "duplicate" }, claimed("c")]);
    expect(batches()).toEqual([["a", "b", "c"]]);
    expect(givenBack()).toEqual([]);
  });

  it("are not claimed when nobody waits for them any more", async () => {
    script = [slow(2_000)];
    const outcomes = [begin(planned("first"))];
    await pass(0);
    outcomes.push(begin(planned("given up"), 1_000), begin(planned("awaited")));
    await pass(20_000);
    expect(await Promise.all(outcomes)).toEqual([
      [claimed("first"), 2_000],
      [expect.objectContaining({ code: "ETIMEDOUT" }), 1_000],
      [claimed("awaited"), 2_000],
    ]);
    expect(batches()).toEqual([["first"], ["awaited"]]);
    expect((await run(planned("too late"), 0))[0]).toEqual({ kind: "outdated" });
    expect(statements).toHaveLength(2);
  });

  const large = "x".repeat(largeBytes);
  const answered = planned("e", { text: large, dryRun: true, idempotencyKey: "key" });
  it.each([
    ["text", planned("e", { text: `${large}${large}` }), largeBytes],
    ["messages", planned("e", { text: large }, 30), 60_000],
    ["kept answer", answered, composeDryRunAnswer(answered).length],
    ["text alone, when no answer is kept", planned("e", { text: large, dryRun: true }), 0],
  ])("share a statement of four million characters at most, and none with a small one, by their %s", async (_, event, size) => {
    const text = "x".repeat(4_000_000 - largeBytes - size);
    await runAll(event, planned("fits", { text }), planned("small"));
    await runAll(event, planned("too long", { text: `${text}x` }));
    expect(batches().toSorted((a, b) => a.join().localeCompare(b.join()))).toEqual([["e"], ["e", "fits"], ["small"], ["too long"]]);
  });

  it("share none with another of the same key, site, name and mode", async () => {
    const keyed = (id: string, more: Given = {}) => planned(id, { idempotencyKey: "key", ...more });
    const others = [
      keyed("another site", { site: { ...site, id: "site 2" } }),
      keyed("another name", { name: "order.paid" }),
      keyed("another key", { idempotencyKey: "key 2" }),
      keyed("dry run", { dryRun: true }),
      ...["no key", "nor this"].map((id) => planned(id)),
    ];
    await runAll(keyed("one"), keyed("the same"), ...others);
    expect(batches()).toEqual([["one", ...others.map(({ delivery }) => delivery.id)].toSorted(), ["the same"]]);
  });

  it("wait for as long as the oldest of their site that is not being claimed yet", async () => {
    script = [slow(1_000)];
    const waits = () => ["site", "site 2", "site 3"].map((id) => claim.waitMs(id));
    const outcomes = [begin(planned("under way", { site: { ...site, id: "site 3" } }))];
    await pass(100);
    outcomes.push(begin(planned("a")));
    await pass(200);
    outcomes.push(begin(planned("b", { site: { ...site, id: "site 2" } })), begin(planned("c")));
    await pass(300);
    expect(waits()).toEqual([500, 300, 0]);
    await pass(1_000);
    expect(waits()).toEqual([0, 0, 0]);
    await Promise.all(outcomes);
  });
});
