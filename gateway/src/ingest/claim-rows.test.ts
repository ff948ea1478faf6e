import { optOutKey } from "shared/core/message";
import type { PlannedMessage } from "shared/core/plan";
import { describeReason } from "shared/core/reason";
import { orderId } from "shared/db/ids";
import { plainRows } from "shared/secrets/row-codec";
import { beforeEach, describe, expect, it } from "vitest";
import { messageOf, planned, site } from "../../../test/support/planned-event.ts";
import type { GatewayContext } from "../context.ts";
import type { SiteConfig } from "../sites/sites.ts";
import { defaultTimeLimits } from "../time-limits.ts";
import { composeDryRunAnswer } from "./answer.ts";
import { createClaim } from "./claim.ts";
import type { IdentifiedMessage, PlannedEvent } from "./plan.ts";

const tooMany = { code: "too_many_recipients", limit: 200 } as const;

/** The parameters of the statements, each of which claims one event. */
let statements: { params: readonly unknown[] }[];
beforeEach(() => void (statements = []));

async function unsafe(_: string, params: readonly unknown[]) {
  statements.push({ params });
  const [id = ""] = String(params[0]).split("\u001f");
  return Promise.resolve([id, "instance"].map((one) => ({ id: one, claimed: true })));
}

const run = async (event: PlannedEvent) => {
  const now = () => 1_000_000;
  const vault = { fingerprint: (text: string) => `hash of ${text}` };
  const context = {
    events: Object.assign(async () => [], { unsafe }),
    clock: { monotonic: now },
    config: { timeLimits: defaultTimeLimits },
    vault,
    instanceId: "instance",
  };
  const lease = { endsAt: Infinity, renew: async () => undefined };
  const open = { giveBack: () => undefined, close: () => undefined };
  return await createClaim(context as unknown as GatewayContext, lease, open).run(event, now() + 10_000);
};
const statuses = () => statements.map(({ params }) => String(params[7]).match(/\b(sending|queued|failed)\b/g) ?? []);

describe("the rows of a claim", () => {
  const payload = { order: { id: "4711", number: "N-1", status: "paid", total: "9.50", currency: "EUR" } };
  const idOfOrder = orderId("site", { kind: "id", value: "4711" });
  /** Cells are separated by commas here, and an empty cell is null. */
  const rowText = (cells: string): string =>
    cells
      .split(",")
      .map((cell) => cell || "\u001d")
      .join("\u001f");
  const eventText = (cells: string, texts: string[], order = ",,,,,"): string =>
    [rowText(`e,site,account,7,8,shop,order.created,${cells},${order}`), ...texts, "\u001d"].join("\u001f");
  const none = "\u001d";
  const separators = ["\u001f", "\u001e", none];

  it("hold what was received and what was planned, and give it to this process for the lease", async () => {
    const all = {
      site: { ...site, hasOptOuts: true, marketing: new Set(["template-id"]) },
      text: '{"order": 1}',
      payload,
      test: true,
      idempotencyKey: "key",
    };
    const trace = { bindings: [], more: 3 };
    await run(planned("e", { ...all, trace, messages: [messageOf(0), messageOf(1, tooMany)] }));
    const phone_hash = `hash of ${optOutKey("account", "+15550000")}`;
    const of = "site,order.created,e,binding,template-id,template,en_US";
    expect(statements[0]?.params).toEqual([
      eventText("true,false,key,2,,,1,0", ['{"order": 1}', JSON.stringify(trace), none], `${idOfOrder},4711,N-1,paid,9.50,EUR`),
      ["site"],
      ["account"],
      "instance",
      ...separators,
      [
        rowText(`message-0,${of},+15550000,sending,,,true,account,0,[]`),
        rowText(`message-1,${of},+15550001,failed,too_many_recipients,${describeReason(tooMany)},true,account,1,[]`),
      ].join("\u001e"),
      JSON.stringify([{ event_id: "e", account_id: "account", position: 0, phone_hash, marketing: true }]),
      [phone_hash],
    ]);
  });

  it("of an event without order, key, messages or anything to tell of them are the event and its payload", async () => {
    await run(planned("e"));
    expect(statements[0]?.params).toEqual([
      eventText("false,false,,2,,,0,0", ["{}", none, none]),
      ["site"],
      ["account"],
      "instance",
      ...separators,
    ]);
  });

  it("of a dry run hold its answer for duplicates, and no order", async () => {
    const event = planned("e", { dryRun: true, idempotencyKey: "key", payload, outcome: "sent" });
    expect(await run(event)).toEqual({ kind: "claimed", event: expect.objectContaining({ orderId: null }), planned: event });
    expect(statements[0]?.params[0]).toBe(eventText("false,true,key,2,sent,,0,0", ["{}", none, composeDryRunAnswer(event)]));
  });

  const cellsOf = (text: unknown): string[][] =>
    String(text)
      .split("\u001e")
      .map((row) => row.split("\u001f"));

  it("seal what is told of people and orders, each under its own place", async () => {
    const rows = {
      ...plainRows,
      seal: (text: string | null, place: string) => text && `at ${place}`,
      conceal: (_: string, place: string) => `at ${place}`,
    };
    const trace = { bindings: [], more: 0 };
    const [sent, unsent] = [messageOf(0), messageOf(1, tooMany)];
    await run(
      planned("e", {
        site: { ...site, rows } as unknown as SiteConfig,
        payload,
        trace,
        messages: [sent, unsent],
        idempotencyKey: "key",
        dryRun: true,
      }),
    );
    await run(planned("f", { site: { ...site, rows } as unknown as SiteConfig, payload }));
    const places = statements.map(({ params }) =>
      params.flatMap((text) => Array.from(String(text).matchAll(/at ([a-z_]+\.[a-z_]+)/g), ([, place]) => place)).toSorted(),
    );
    const message = ["notification.components", "notification.to_phone"];
    expect(places).toEqual([
      [
        "event_payload.payload",
        "event_payload.trace",
        "idempotency.body",
        ...[...message, ...message, "notification.error_reason"].toSorted(),
      ],
      [...["currency", "external_id", "number", "status", "total"].map((name) => `customer_order.${name}`), "event_payload.payload"],
    ]);
  });

  it("name what waits, and until when", async () => {
    const [dueAt, expiresAt] = [new Date("2026-06-01T08:00:00Z"), new Date("2026-06-02T08:00:00Z")];
    const never = { dueAt: null, expiresAt: null, cancelBy: null, restartBy: null };
    const waiting = (position: number, timing: object | null): IdentifiedMessage => {
      const one = messageOf(position);
      return { ...one, waits: true, message: { ...one.message, timing: timing as PlannedMessage["timing"] } };
    };
    const timed = { dueAt, expiresAt, cancelBy: "4711", restartBy: "ada" };
    await run(planned("e", { messages: [waiting(0, timed), waiting(1, never), messageOf(2)] }));
    await run(planned("f", { site: { ...site, holdMessages: true } as SiteConfig, messages: [waiting(3, null)] }));
    const row = (id: number, event: string, cells: string[]) => [
      "site",
      `message-${id}`,
      "account",
      event,
      "binding",
      `hash of ${optOutKey("account", `+1555000${id}`)}`,
      ...cells,
    ];
    const keys = ["hash of cancel binding 4711", "hash of restart binding ada"];
    expect(statements.map(({ params }) => cellsOf(params[8]))).toEqual([
      [
        row(0, "e", [dueAt.toISOString(), expiresAt.toISOString(), ...keys, dueAt.toISOString()]),
        row(1, "e", [none, none, none, none, none]),
      ],
      [row(3, "f", [none, none, none, none, "infinity"])],
    ]);
    expect(statements.map(({ params }) => cellsOf(params[7]).map((cells) => cells[9]))).toEqual([
      ["scheduled", "queued", "sending"],
      ["scheduled"],
    ]);
  });

  it("name what the event stops: what it restarts, and what waits for it not to come", async () => {
    const cancelRules = new Map([
      [
        "order.created",
        [
          { bindingId: "cart", keyOf: (given: typeof payload) => given.order.id },
          { bindingId: "other", keyOf: () => null },
        ],
      ],
    ]);
    const judged = [
      { binding: { id: "binding" }, timing: { restartBy: "ada" } },
      { binding: { id: "untimed" }, timing: null },
    ];
    const stopping = (id: string, more: object = {}) => {
      const event = planned(id, { site: { ...site, cancelRules } as unknown as SiteConfig, payload, ...more });
      return { ...event, plan: { ...event.plan, judged } } as unknown as PlannedEvent;
    };
    await run(stopping("e"));
    await run(stopping("f", { asked: { bindings: ["binding"] } }));
    await run(stopping("g", { dryRun: true }));
    await run(stopping("h", { asked: {}, test: true }));
    await run(stopping("i", { asked: {} }));
    const stop = (event_id: string, code: "restarted" | "cancelled_by_event", key: string) => ({
      event_id,
      site_id: "site",
      key,
      status: "cancelled",
      code,
      reason: describeReason({ code, event: "order.created" }),
    });
    const restarted = (id: string) => stop(id, "restarted", "hash of restart binding ada");
    const cancelled = (id: string) => stop(id, "cancelled_by_event", "hash of cancel cart 4711");
    expect(statements.map(({ params }) => JSON.parse((params[7] as string | undefined) ?? "[]") as object[])).toEqual([
      [restarted("e"), cancelled("e")],
      [restarted("f")],
      [],
      [],
      [restarted("i"), cancelled("i")],
    ]);
    // An event that is run once more tells of no new status, and one for a test of no order.
    const orders = statements.map(({ params }) =>
      cellsOf(params[0])[0]
        ?.slice(15, 21)
        .filter((cell) => cell !== none),
    );
    expect(orders).toEqual([
      [idOfOrder, "4711", "N-1", "paid", "9.50", "EUR"],
      [idOfOrder, "4711", "N-1"],
      [],
      [],
      [idOfOrder, "4711", "N-1"],
    ]);
  });

  it("mark the first twenty messages that can be sent as being sent, and those behind them as waiting", async () => {
    const messages = Array.from({ length: 23 }, (_, n) => messageOf(n, n === 1 ? tooMany : null));
    await run(planned("e", { messages }));
    expect(statuses()).toEqual([["sending", "failed", ...Array<string>(19).fill("sending"), "queued", "queued"]]);
  });
});
