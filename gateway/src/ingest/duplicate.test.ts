import type { AnswerRow } from "shared/db/event/answer";
import { plainRows } from "shared/secrets/row-codec";
import { afterEach, beforeEach, describe, expect, it, test, vi } from "vitest";
import { data } from "../../../test/support/data.ts";
import type { GatewayContext } from "../context.ts";
import { createWorker, type Worker } from "../owning/worker.ts";
import { RequestRefused } from "../refusal.ts";
import { createNotes, type Notes } from "../sites/notes.ts";
import { defaultTimeLimits } from "../time-limits.ts";
import type { AuthenticEvent } from "./authenticate.ts";
import { createAnswerDuplicate } from "./duplicate.ts";
import type { EventKey } from "./plan.ts";
import type { Recover } from "./recover.ts";

describe("duplicate", () => {
  const open = data<AnswerRow>("gateway-ingest-duplicate", "open");
  const answered = { ...open, chat: "partial" };
  const event = {
    site: { id: "site", rows: plainRows },
    topic: null,
    name: "order.created",
    idempotencyKey: "key",
    idUntil: null,
    isSignedId: false,
    dryRun: false,
  } as AuthenticEvent;
  const waiting = "waiting";

  /** The database's answers, look by look; the last one repeats. */
  let looks: (AnswerRow | null | Promise<never>)[];
  /** The times of the statements, in ms since the start, and their parameters. */
  let lookedAt: number[];
  let start: number;
  const asked = vi.fn<(values: unknown[]) => void>();

  /** A part of a statement, without parameters. */
  const fragment = Symbol("fragment");
  const statement = async (_: TemplateStringsArray, ...values: unknown[]): Promise<AnswerRow[]> => {
    asked(values.filter((value) => value !== fragment));
    lookedAt.push(performance.now() - start);
    const row = await ((looks.length > 1 ? looks.shift() : looks[0]) ?? null);
    return row ? [row] : [];
  };
  const sql = Object.assign(statement, { unsafe: () => fragment });
  const resume = vi.fn<Recover["resume"]>(async () => undefined);
  const note = vi.fn<Notes["replayed"]>();
  /** The events under way here. */
  let events: Worker<EventKey>;

  beforeEach(() => {
    vi.useFakeTimers();
    vi.clearAllMocks();
    [looks, lookedAt, start] = [[open], [], performance.now()];
    const context = { clock: { monotonic: () => performance.now() }, config: { timeLimits: defaultTimeLimits } };
    events = createWorker<EventKey>(context as unknown as GatewayContext, { name: "events", handBack: async () => Promise.resolve([]) });
  });
  afterEach(() => void vi.useRealTimers());

  /** Answers a duplicate; `is` becomes the answer, the refusal's name or the error. */
  function answer({ of = event, startedAt = start, duplicateWaitMs = defaultTimeLimits.duplicateWaitMs } = {}) {
    const clock = { now: () => new Date(), monotonic: () => performance.now() };
    const config = { timeLimits: { ...defaultTimeLimits, duplicateWaitMs } };
    const answerDuplicate = createAnswerDuplicate({ sql, clock, config } as unknown as GatewayContext, {
      recover: { resume },
      events,
      notes: { replayed: note, refused: () => undefined },
    });
    const result: { is: unknown } = { is: waiting };
    answerDuplicate(of, startedAt).then(
      (value) => (result.is = value),
      (error: unknown) => (result.is = error instanceof RequestRefused ? error.refusal : error),
    );
    return result;
  }
  const pass = async (ms: number) => vi.advanceTimersByTimeAsync(ms);

  describe("the original's answer", () => {
    it("is given again, told as a replay, and counted for it", async () => {
      looks = [answered];
      const result = answer();
      await pass(0);
      const body =
        '{"ok":true,"event":"order.created","event_id":"original","order_id":"order","chat":"partial","bindings_run":2,"recipients_sent":3,"recipients_failed":1}';
      expect(result.is).toEqual({ status: 200, body, headers: { "X-Service-Idempotent-Replay": "true" }, eventId: "original" });
      expect(note.mock.calls).toEqual([["site of it", "original"]]);
      expect(resume).not.toHaveBeenCalled();
    });

    it("is waited for with few looks, while another gateway sends it", async () => {
      const result = answer();
      await pass(14_989);
      expect(lookedAt).toEqual([0, 10, 30, 70, 150, 310, 630, 1_270, 2_550, 4_550, 6_550, 8_550, 10_550, 12_550, 14_550]);
      expect(result.is).toBe(waiting);
      looks = [answered];
      await pass(1);
      expect(result.is).toMatchObject({ status: 200 });
      expect(note).toHaveBeenCalledTimes(1);
    });

    it("is given at once when it is made here, to every duplicate with two looks", async () => {
      events.open("original");
      const results = [answer(), answer(), answer()];
      await pass(7_000);
      looks = [answered];
      events.close("original");
      await pass(0);
      expect(results.map(({ is }) => is)).toEqual(results.map(() => expect.objectContaining({ status: 200 }) as object));
      expect(lookedAt).toEqual([0, 0, 0, 7_000, 7_000, 7_000]);
    });

    it("is asked for again while the database is away", async () => {
      const away = Promise.reject(Object.assign(new Error("the database system is starting up"), { code: "57P03" }));
      looks = [away, away, answered];
      const result = answer();
      await pass(149);
      expect(result.is).toBe(waiting);
      await pass(1);
      expect(result.is).toMatchObject({ status: 200 });
      expect(lookedAt).toEqual([0, 50, 150]);
    });

    it("is waited for no longer than a client waits, also when it is made here", async () => {
      events.open("original");
      const result = answer();
      await pass(14_989);
      expect(result.is).toBe(waiting);
      await pass(1);
      expect(result.is).toBe("still_in_progress");
      expect(lookedAt).toEqual([0, 14_990]);
    });

    it("is looked for again when the event is given up here", async () => {
      events.open("original");
      const result = answer();
      await pass(300);
      events.giveBack({ site_id: "site", id: "original" }, true);
      await pass(20);
      looks = [answered];
      await pass(40);
      expect(result.is).toMatchObject({ status: 200 });
      expect(lookedAt).toEqual([0, 300, 320, 360]);
    });
  });

  it("a duplicate whose original is gone may take its place, also when it goes meanwhile", async () => {
    looks = [open, null];
    const result = answer();
    await pass(9);
    expect(result.is).toBe(waiting);
    await pass(1);
    expect(result.is).toBeNull();
    expect([lookedAt, note.mock.calls, resume.mock.calls]).toEqual([[0, 10], [], []]);
  });

  describe("a duplicate comes too early", () => {
    it.each(data<[number, number, number[]][]>("gateway-ingest-duplicate", "when no look fits into i ms from its request any more which"))(
      "when no look fits into %i ms from its request any more (which came %i ms from now)",
      async (duplicateWaitMs, ago, expected) => {
        const result = answer({ duplicateWaitMs, startedAt: start + ago });
        await pass(1_000);
        expect(result.is).toBe("still_in_progress");
        expect(lookedAt).toEqual(expected);
      },
    );

    it("at once, when a message of the original waits for the platform's word", async () => {
      looks = [open, { ...open, in_doubt: true }];
      const result = answer();
      await pass(10);
      expect(result.is).toBe("still_in_progress");
      expect(lookedAt).toEqual([0, 10]);
    });

    it("is not said by a database that does not answer in time", async () => {
      looks = [open, new Promise<never>(() => undefined)];
      const result = answer({ startedAt: start - 5_000 });
      await pass(5_009);
      expect(result.is).toBe(waiting);
      await pass(1);
      expect(result.is).toMatchObject({ code: "ETIMEDOUT" });
    });

    it("when the wait ends before a look is answered, which had less time than a statement may take", async () => {
      looks = [open, new Promise<never>(() => undefined)];
      const result = answer({ duplicateWaitMs: 500 });
      await pass(499);
      expect(result.is).toBe(waiting);
      await pass(1);
      expect(result.is).toBe("still_in_progress");
    });
  });

  describe("an original that was left behind", () => {
    const lapsed = { ...open, lapsed: true };

    it("is finished, and then looked at again without a pause", async () => {
      looks = [open, { ...lapsed, in_doubt: true }, answered];
      const result = answer();
      await pass(10);
      expect(resume.mock.calls).toEqual([["site of it", "original"]]);
      expect(result.is).toMatchObject({ status: 200, eventId: "original" });
      expect(lookedAt).toEqual([0, 10, 10]);
    });

    it.each([
      ["could be taken over", async () => undefined],
      ["could not be taken over", async () => Promise.reject(new Error("away"))],
    ])("and %s is looked after once, however long it stays as it is", async (_, outcome) => {
      resume.mockImplementationOnce(outcome);
      looks = [lapsed];
      const result = answer();
      await pass(15_000);
      expect(resume).toHaveBeenCalledTimes(1);
      expect(lookedAt.slice(0, 4)).toEqual([0, 0, 20, 60]);
      expect(result.is).toBe("still_in_progress");
    });

    it("and takes longer to finish than its client waits goes on by itself", async () => {
      resume.mockImplementationOnce(async () => new Promise(() => undefined));
      looks = [lapsed];
      const result = answer();
      await pass(14_999);
      expect(result.is).toBe(waiting);
      await pass(1);
      expect(result.is).toBe("still_in_progress");
      expect([lookedAt, resume.mock.calls.length]).toEqual([[0], 1]);
    });
  });
});

test("replays are counted by event, and counts that meet another's locks are written after all", async () => {
  vi.useFakeTimers();
  const written: string[] = [];
  const sql = async (_: TemplateStringsArray, rows: string) => {
    if (written.push(rows) === 1) throw Object.assign(new Error("deadlock"), { code: "40P01" });
    return Promise.resolve([]);
  };
  const clock = { monotonic: () => performance.now() };
  const notes = createNotes({ sql, clock, config: { timeLimits: defaultTimeLimits } } as unknown as GatewayContext);
  for (const id of ["a", "b", "a"]) notes.replayed(`site of ${id}`, id);
  await vi.advanceTimersByTimeAsync(1_000);
  const rows = JSON.stringify([
    { site_id: "site of a", id: "a", times: 2 },
    { site_id: "site of b", id: "b", times: 1 },
  ]);
  expect(written).toEqual([rows, rows]);
  vi.useRealTimers();
});
