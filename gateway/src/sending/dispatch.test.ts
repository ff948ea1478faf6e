import { type PlatformCall, type InFlight } from "shared/platform/client";
import type { Answer } from "shared/platform/exchange";
import { plainRows } from "shared/secrets/row-codec";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { GatewayContext } from "../context.ts";
import type { Notes } from "../sites/notes.ts";
import type { SiteConfig } from "../sites/sites.ts";
import { defaultTimeLimits } from "../time-limits.ts";
import type { AccountPause, PauseState } from "./account-pause.ts";
import { createDispatch } from "./dispatch.ts";
import { type Dispatch, type OutgoingMessage } from "./outcome.ts";
import type { Pace } from "./pace.ts";
import { createThrottle } from "./throttle.ts";

describe("dispatch", () => {
  const credentials = { apiVersion: "v25.0", wabaId: "1001", phoneNumberId: "2001", accessToken: "TOKEN" };
  const site = {
    id: "0199a1b2-1234-7abc-8def-000000000001",
    accountId: "0199a1b2-1234-7abc-8def-000000000002",
    platform: { credentials, accessTokenRecord: "record", stopped: null },
    rows: plainRows,
    mode: "live",
    messagesPerSecond: null,
  } as SiteConfig;
  const components = JSON.stringify([{ type: "body", parameters: [{ type: "text", text: "Ada" }] }]);

  const outgoing = (n: number, more: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
    id: `0199a1b2-1234-7abc-8def-00000000010${n}`,
    event_id: "0199a1b2-1234-7abc-8def-000000000003",
    binding_id: "binding",
    template: "order_created",
    language: "en_US",
    to_phone: `+1555123000${n}`,
    components,
    attempt: 1,
    marketing: false,
    throttle: null,
    ...more,
  });
  const wave = [outgoing(1), outgoing(2), outgoing(3)];

  const accepted = (id: string): Answer => ({ kind: "answered", status: 200, json: { messages: [{ id }] } });
  const refused = (code: number): Answer => ({ kind: "answered", status: 400, json: { error: { code, message: `No ${code}` } } });

  /** The platform's answers, message by message; afterwards it accepts. */
  let script: Answer[];
  let state: PauseState;
  const call = vi.fn<(call: PlatformCall) => Promise<Answer>>(async () => Promise.resolve(script.shift() ?? accepted("wamid.more")));
  const pause = {
    state: vi.fn<AccountPause["state"]>((_, of) => (of === "number" || state === "none" ? "none" : Promise.resolve(state))),
    stop: vi.fn<AccountPause["stop"]>(async () => undefined),
    resume: vi.fn<AccountPause["resume"]>(async () => undefined),
  };
  const inFlight = { timedOut: vi.fn<InFlight["timedOut"]>(), answered: vi.fn<InFlight["answered"]>() };
  const notes = { sent: vi.fn<Notes["sent"]>() };
  const pace = { isAway: vi.fn<Pace["isAway"]>(() => false), slowDown: vi.fn<Pace["slowDown"]>(async () => undefined) };
  const logError = vi.fn<(entry: object, text: string) => void>();
  const sql = vi.fn<(...parts: unknown[]) => Promise<unknown>>(async () => Promise.resolve(Object.assign([], { count: 1 })));
  const pool = Object.assign(sql, { begin: async (run: (transaction: unknown) => unknown) => run(sql) });
  const seal = (text: string) => `sealed ${text}`;

  const dispatch = createDispatch(
    {
      platform: { call },
      log: { error: logError },
      sql: pool,
      vault: { fingerprint: (text: string) => `hash of ${text}`, sealer: async () => Promise.resolve(seal) },
      config: { timeLimits: defaultTimeLimits },
      clock: { now: () => new Date(0), monotonic: () => 0 },
    } as unknown as GatewayContext,
    { pause: pause as unknown as AccountPause, inFlight, pace: pace as unknown as Pace, notes },
  );
  const inTime = () => ({ startBy: performance.now() + 10_000, cutAt: performance.now() + 20_000 });

  beforeEach(() => {
    vi.clearAllMocks();
    script = [];
    state = "none";
  });

  it("that gets no slot because the database is away is not tried, and says so", async () => {
    pace.isAway.mockReturnValueOnce(true);
    const late = { startBy: performance.now() - 1, cutAt: performance.now() + 1_000 };
    const results = await dispatch(site, [outgoing(1), outgoing(2)], late);
    expect(results.map(({ error_code, isUntried }) => [error_code, isUntried])).toEqual([
      ["deadline", true],
      ["deadline", undefined],
    ]);
    expect(call).not.toHaveBeenCalled();
  });

  describe("a wave", () => {
    it("tells which messages may leave from now on, before any of them does, and of no others", async () => {
      const told: string[][] = [];
      const begun = async (now: PauseState): Promise<string[][]> => {
        told.length = 0;
        state = now;
        const onBegin = (some: readonly OutgoingMessage[]): void => {
          expect(call.mock.calls).toHaveLength(told.flat().length);
          told.push(some.map(({ id }) => id));
        };
        call.mockClear();
        await dispatch(site, wave, { ...inTime(), onBegin });
        return [...told];
      };
      const ids = wave.map(({ id }) => id);
      expect(await begun("none")).toEqual([ids]);
      expect(await begun("paused")).toEqual([]);
      expect(await begun("probe")).toEqual([ids.slice(0, 1), ids.slice(1)]);
      script = [refused(131026)];
      expect(await begun("probe")).toEqual([ids.slice(0, 1)]);
    });

    it("is cut off and begun by its own limits", async () => {
      const limits = inTime();
      await dispatch(site, [outgoing(1)], limits);
      expect(call.mock.calls[0]?.[0]).toMatchObject({ startBy: limits.startBy, cutAt: limits.cutAt });
    });

    it("that comes too late is not sent, and the platform is not blamed", async () => {
      const results = await dispatch(site, [outgoing(1)], { startBy: performance.now() - 1, cutAt: performance.now() + 10_000 });
      expect(results).toMatchObject([{ status: "failed", local: true, error_code: "deadline", wa_message_id: null }]);
      expect(results[0]?.error_reason).not.toContain("(");
      expect([call, inFlight.answered, inFlight.timedOut].map((spy) => spy.mock.calls.length)).toEqual([0, 0, 0]);
    });

    it("that the platform could not be reached for says what was in the way", async () => {
      script = [{ kind: "not_sent", reason: "connection refused" }];
      // The deadline leaves time for one try, and none for another.
      const results = await dispatch(site, [outgoing(1)], { ...inTime(), cutAt: performance.now() + 1_050 });
      expect(results).toMatchObject([
        { local: true, error_code: "deadline", error_reason: expect.stringContaining(" (connection refused)") },
      ]);
    });

    it("whose answer is lost is in doubt, and counts against what may be under way", async () => {
      script = [{ kind: "lost", reason: "the connection was cut" }];
      const [result] = await dispatch(site, [outgoing(1)], inTime());
      expect(result).toMatchObject({
        status: "failed",
        local: true,
        error_code: "in_doubt",
        error_reason: expect.stringContaining("was cut"),
      });
      expect(inFlight.timedOut.mock.calls).toEqual([[site.accountId]]);
      expect(inFlight.answered).not.toHaveBeenCalled();
    });

    it("of which one answer is lost holds its account back until another is answered, not until the whole wave is", async () => {
      let answerSecond: (answer: Answer) => void = () => undefined;
      call.mockResolvedValueOnce({ kind: "lost", reason: "the connection was cut" });
      call.mockReturnValueOnce(new Promise((resolve) => (answerSecond = resolve)));
      const sending = dispatch(site, [outgoing(1), outgoing(2)], inTime());
      await vi.waitFor(() => expect(inFlight.timedOut).toHaveBeenCalledTimes(1));
      expect(inFlight.answered).not.toHaveBeenCalled();
      answerSecond(accepted("wamid.2"));
      await sending;
      expect(inFlight.answered.mock.calls).toEqual([[site.accountId]]);
      expect(inFlight.timedOut).toHaveBeenCalledTimes(1);
    });
  });

  describe("a refusal", () => {
    it("of the whole account stops it, with the platform's words", async () => {
      script = [accepted("wamid.1"), refused(190), refused(190)];
      const results = await dispatch(site, wave, inTime());
      expect(results.map(({ error_code }) => error_code)).toEqual([null, "190", "190"]);
      expect(pause.stop.mock.calls).toMatchObject([[site, { kind: "refused", code: "190" }]]);
    });

    it("by a recipient who wants no messages is noted for the next ones", async () => {
      script = [refused(131050), accepted("wamid.2"), refused(131050)];
      await dispatch(site, wave, inTime());
      const told = JSON.parse(String(sql.mock.calls[0]?.find((value) => String(value).startsWith("[")))) as object[];
      const word = { source: "refusal", active: true, at: new Date(0).toISOString() };
      expect(told).toMatchObject([
        { ...word, phone: "sealed +15551230001", scope: "marketing", code: "131050" },
        { ...word, phone: "sealed +15551230003", scope: "marketing", code: "131050" },
      ]);
      expect(sql).toHaveBeenCalledTimes(1);
    });

    it("that cannot be noted costs no result", async () => {
      pause.stop.mockRejectedValueOnce(new Error("away"));
      sql.mockRejectedValueOnce(new Error("away too"));
      script = [refused(190), refused(131050), accepted("wamid.3")];
      const results = await dispatch(site, wave, inTime());
      expect(results.map(({ status }) => status)).toEqual(["failed", "failed", "sent"]);
      expect(logError.mock.calls.map(([entry, text]) => [entry as object, String(text)])).toEqual(
        ["away", "away too"].map((message) => [
          { err: expect.objectContaining({ message }), event_ids: expect.any(Array) },
          expect.stringContaining("could not record"),
        ]),
      );
    });
  });
});

describe("a throttled dispatch", () => {
  const site = { id: "site", accountId: "account" } as SiteConfig;
  const message = (id: string, isThrottled: boolean): OutgoingMessage => ({
    id,
    event_id: "event",
    binding_id: "binding",
    template: "order_created",
    language: "en_US",
    to_phone: "+15551230001",
    components: "[]",
    attempt: 1,
    marketing: false,
    throttle: isThrottled ? { max: 1, seconds: 60 } : null,
  });
  const wave = [message("limited", true), message("free", false)];

  let time: number;
  let away: number;
  /** The messages that the database was asked for, each with whether an earlier try may have been counted. */
  let asked: string[];
  const sql = vi.fn<(parts: readonly string[], ...values: unknown[]) => Promise<object[]>>(async (parts, ...values) => {
    if (!parts.join("").includes("insert into throttle")) return [];
    const messages = JSON.parse(String(values.find((value) => String(value).startsWith("[{")))) as { id: string; again: boolean }[];
    asked.push(...messages.map(({ id, again }) => `${id} ${again}`));
    time += 100;
    away -= 1;
    return away >= 0 ? Promise.reject(Object.assign(new Error("away"), { code: "CONNECTION_CLOSED" })) : Promise.resolve(messages);
  });
  const send = vi.fn<Dispatch>(async (_, some) => Promise.resolve(some.map(({ id }) => ({ id, status: "sent" }) as never)));
  const dispatch = createThrottle(
    {
      sql: Object.assign(sql, { unsafe: () => "" }),
      vault: { fingerprint: (text: string) => text },
      config: { timeLimits: defaultTimeLimits },
      clock: { now: () => new Date(0), monotonic: () => time },
      log: { warn: () => undefined },
    } as unknown as GatewayContext,
    send,
  );
  const told = async (fromQueue: boolean) =>
    (await dispatch(site, wave, { startBy: 1_000, cutAt: 2_000, fromQueue })).map(({ status, error_code }) => [status, error_code]);

  beforeEach(() => {
    vi.clearAllMocks();
    [time, away, asked] = [0, 0, []];
  });

  it("asks again while the database is away, for a count that may stand there already", async () => {
    away = 2;
    expect(await told(false)).toEqual([
      ["sent", undefined],
      ["sent", undefined],
    ]);
    expect(asked).toEqual(["limited false", "limited true", "limited true"]);
  });

  it("fails the limited messages, known to be unsent, when the database is away for too long", async () => {
    away = Infinity;
    expect(await told(false)).toEqual([
      ["failed", "deadline"],
      ["sent", undefined],
    ]);
    expect(send.mock.calls.map(([, some]) => some.map(({ id }) => id))).toEqual([["free"]]);
  });

  it("leaves the queue's messages to the queue, which has them wait", async () => {
    away = Infinity;
    await expect(told(true)).rejects.toThrow("away");
    expect(send).not.toHaveBeenCalled();
  });
});
