import type { PlannedMessage } from "shared/core/plan";
import type { NotificationResult } from "shared/db/event/settle";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { data } from "../../../test/support/data.ts";
import type { GatewayContext } from "../context.ts";
import type { Dispatch } from "../sending/outcome.ts";
import type { SiteConfig } from "../sites/sites.ts";
import { defaultTimeLimits } from "../time-limits.ts";
import type { ClaimedEvent } from "./claim.ts";
import { createDeliver, NotSent, type Settle } from "./deliver.ts";
import type { IdentifiedMessage } from "./plan.ts";

const { handOverMs, answerMs, leaseMs, statementMs } = defaultTimeLimits;
const startedAt = 1_000_000;
const site = { id: "site", hasWebhooks: false, throttles: new Map(), marketing: new Set() } as unknown as SiteConfig;
const optedOut = { code: "recipient_opted_out" } as const;

const messageOf = (n: number, failure: PlannedMessage["failure"] = null): IdentifiedMessage => ({
  id: `message ${n}`,
  position: n,
  message: {
    bindingId: "binding",
    templateId: "template",
    template: `template ${n}`,
    language: "en_US",
    toPhone: `+1555${n}`,
    components: JSON.stringify([{ type: "body", parameters: [{ type: "text", text: `Text ${n}` }] }]),
    failure,
    timing: null,
  },
  waits: false,
});
const ids = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, i) => messageOf(from + i).id);

function claimed(count: number, unsendable: number[] = [], leaseEndsAt = startedAt + leaseMs): ClaimedEvent {
  const messages = Array.from({ length: count }, (_, n) => messageOf(n, unsendable.includes(n) ? optedOut : null));
  const delivery = { id: "event", name: "order.created", test: false, site, messages, outcome: null, bindingsRun: 3, toShop: false };
  return { delivery, orderId: "order", leaseEndsAt };
}

const resultOf = (id: string, status: "sent" | "failed"): NotificationResult => ({
  site_id: site.id,
  event_id: "event",
  id,
  attempt: 1,
  status,
  local: false,
  wa_message_id: `wamid of ${id}`,
  error_code: null,
  error_reason: null,
  error_detail: null,
});

/** Monotonic ms. */
let time: number;
/** How long the platform takes for a wave. */
let waveMs: number;
let refused: string[];
let ours: boolean;
/** The steps that were begun, in order. */
let steps: string[];

const dispatch = vi.fn<Dispatch>(async (_, wave) => {
  steps.push(`dispatch of ${wave.length}`);
  time += waveMs;
  return Promise.resolve(wave.map(({ id }) => resultOf(id, refused.includes(id) ? "failed" : "sent")));
});
const settle = vi.fn<Settle["record"]>(async ({ results }) => {
  steps.push(`settle of ${results.length}`);
  return Promise.resolve(ours);
});
const context = {
  clock: { monotonic: () => time },
  config: { timeLimits: defaultTimeLimits },
  instanceId: "instance",
} as unknown as GatewayContext;
const deliver = createDeliver(context, dispatch, { record: settle });
const dispatched = () => dispatch.mock.calls.map(([, wave]) => wave.map(({ id }) => id));
const settled = () => settle.mock.calls.map(([settlement]) => settlement);

beforeEach(() => {
  vi.clearAllMocks();
  [time, waveMs, refused, ours, steps] = [startedAt + 100, 10, [], true, []];
});

describe("an event", () => {
  it.each(data<[string, number[], number[], number, number][]>("gateway-ingest-deliver", "is s when j cannot be sent and j are refused"))(
    "is %s when %j cannot be sent and %j are refused",
    async (chat, unsendable, refusedOnes, sent, failed) => {
      refused = refusedOnes.map((n) => messageOf(n).id);
      const { body } = await deliver(claimed(3, unsendable), startedAt);
      const counts = { chat, recipients_sent: sent, recipients_failed: failed };
      expect(JSON.parse(body)).toMatchObject(counts);
      expect(settled()).toMatchObject([{ event: counts }]);
      expect(dispatched().flat()).toEqual(ids(0, 3).filter((_, n) => !unsendable.includes(n)));
    },
  );

  it("that another gateway has taken over is left to it, with the waves that were to come", async () => {
    ours = false;
    await expect(deliver(claimed(41), startedAt)).rejects.toMatchObject({ name: "RequestRefused", refusal: "still_in_progress" });
    expect(steps).toEqual(["dispatch of 20", "settle of 20"]);
  });

  it("whose results cannot be recorded in time fails by the database's error", async () => {
    const away = new Error("away");
    settle.mockRejectedValueOnce(away);
    await expect(deliver(claimed(41), startedAt)).rejects.toBe(away);
    expect(dispatch).toHaveBeenCalledTimes(1);
  });
});

describe("waves", () => {
  it("go one after the other, each marked with the results of the one before, the last with the answer", async () => {
    refused = [messageOf(4).id, messageOf(44).id];
    const { body } = await deliver(claimed(45, [3]), startedAt);
    const sendable = ids(0, 45).filter((id) => id !== messageOf(3).id);
    const waves = [sendable.slice(0, 20), sendable.slice(20, 40), sendable.slice(40)];
    expect(dispatched()).toEqual(waves);
    expect(settled().map(({ results }) => results.map(({ id }) => id))).toEqual(waves);
    const marked = (wave: string[] = []) => wave.map((id) => ({ site_id: "site", event_id: "event", id }));
    expect(settled().map(({ next }) => next)).toEqual([marked(waves[1]), marked(waves[2]), []]);
    expect(settled().map(({ event: progress }) => [progress?.chat, progress?.recipients_sent, progress?.recipients_failed])).toEqual([
      [null, 19, 2],
      [null, 39, 2],
      ["partial", 42, 3],
    ]);
    expect(JSON.parse(body)).toMatchObject({ chat: "partial", recipients_sent: 42, recipients_failed: 3 });
  });
});

describe("the limits of a wave", () => {
  const limitsOf = async (leaseEndsAt: number) => {
    await deliver(claimed(1, [], leaseEndsAt), startedAt);
    return dispatch.mock.lastCall?.[2];
  };

  it("are the time of handing over and the middle between it and the answer", async () => {
    const startBy = startedAt + handOverMs;
    const cutAt = startedAt + handOverMs + (answerMs - handOverMs) / 2;
    expect(await limitsOf(startedAt + leaseMs)).toEqual({ startBy, cutAt });
    expect(await limitsOf(startBy + 500)).toEqual({ startBy, cutAt });
  });

  it("lie within the lease, the first with half a second to spare", async () => {
    expect(await limitsOf(startedAt + 5_000)).toEqual({ startBy: startedAt + 4_500, cutAt: startedAt + 5_000 });
  });
});

describe("messages whose turn does not come in time", () => {
  const reason = "WhatsApp was so slow that this message was not sent in time. Resend it.";
  const late = { attempt: 1, status: "failed", local: true, wa_message_id: null, error_code: "deadline", error_reason: reason };

  it("fail with the wave before them, and end the event", async () => {
    waveMs = handOverMs / 2;
    time = startedAt;
    const { body } = await deliver(claimed(65), startedAt);
    expect(dispatched()).toEqual([ids(0, 20), ids(20, 40)]);
    const [first, last] = settled();
    expect(settle).toHaveBeenCalledTimes(2);
    expect(first?.next).toHaveLength(20);
    const left = ids(40, 65).map((id) => ({ site_id: "site", event_id: "event", id, ...late, error_detail: null }));
    expect(last?.results).toEqual([...ids(20, 40).map((id) => resultOf(id, "sent")), ...left]);
    expect(last).toMatchObject({ next: [], event: { chat: "partial", recipients_sent: 40, recipients_failed: 25 } });
    expect(JSON.parse(body)).toMatchObject({ chat: "partial", recipients_sent: 40, recipients_failed: 25 });
  });

  it("stay unfinished with their event when its caller gets no answer", async () => {
    waveMs = handOverMs;
    await deliver(claimed(25), startedAt);
    expect(settle.mock.calls[0]?.[0]).toMatchObject({ event: { chat: "partial" } });
    expect(settle.mock.calls[0]?.[2]).toEqual({
      results: ids(0, 20).map((id) => resultOf(id, "sent")),
      event: expect.objectContaining({ chat: null }),
    });
  });

  it("are not touched when the database has taken all of the time before the first", async () => {
    time = startedAt + handOverMs;
    await expect(deliver(claimed(1), startedAt)).rejects.toMatchObject({ code: "ETIMEDOUT" });
    expect([dispatch.mock.calls, settle.mock.calls]).toEqual([[], []]);
  });

  it("are left as they were when the database keeps them from leaving, once those that left are recorded", async () => {
    dispatch.mockImplementationOnce(async (_, wave) =>
      Promise.resolve(wave.map(({ id }, n) => ({ ...resultOf(id, n === 0 ? "sent" : "failed"), isUntried: n > 0 }))),
    );
    await expect(deliver(claimed(3), startedAt)).rejects.toBeInstanceOf(NotSent);
    expect(settled()).toMatchObject([{ results: [{ id: ids(0, 1)[0] }], next: [], event: { chat: null } }]);
  });

  it("are left too when it had taken much of the time and their turn did not come; else they have failed", async () => {
    const late = async (...[, wave]: Parameters<Dispatch>) =>
      Promise.resolve(wave.map(({ id }) => ({ ...resultOf(id, "failed"), error_code: "deadline" })));
    dispatch.mockImplementationOnce(late).mockImplementationOnce(late);
    const { body } = await deliver(claimed(1), startedAt);
    expect(JSON.parse(body)).toMatchObject({ chat: "failed" });
    time = startedAt + statementMs + 1;
    await expect(deliver(claimed(1), startedAt)).rejects.toBeInstanceOf(NotSent);
    expect(settle).toHaveBeenCalledTimes(1);
  });

  it("are sent when there is a moment left", async () => {
    waveMs = handOverMs - 1;
    time = startedAt;
    await deliver(claimed(21), startedAt);
    expect(dispatched()).toEqual([ids(0, 20), ids(20, 21)]);
  });

  it("are those behind a lease that ends", async () => {
    waveMs = 4_500;
    time = startedAt;
    await deliver(claimed(21, [], startedAt + 5_000), startedAt);
    expect(dispatched()).toEqual([ids(0, 20)]);
    expect(settled()).toMatchObject([{ event: { chat: "partial", recipients_sent: 20, recipients_failed: 1 } }]);
  });
});
