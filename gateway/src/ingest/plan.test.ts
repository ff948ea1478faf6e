import { optOutKey } from "shared/core/message";
import { optedOut } from "shared/core/plan";
import type { BindingToPlan, Plan } from "shared/core/plan";
import { expect, it, describe } from "vitest";
import { ordinaryRequest } from "../../../test/support/planned-event.ts";
import type { SiteConfig } from "../sites/sites.ts";
import type { AuthenticEvent } from "./authenticate.ts";
import { decidedOutcome } from "./event.ts";
import { toAddressees, withOptedOut } from "./opted-out.ts";
import { plan, type PlannedEvent } from "./plan.ts";

describe("plan", () => {
  const body = "Hello, it is {{1}}.";
  const definition = { parameterFormat: "POSITIONAL", header: null, body, footer: null, buttons: [], examples: { body: ["1"] } };
  const binding = {
    id: "binding",
    recipient: { strategy: "site_recipients" },
    variableMap: { body: { 1: { source: "expression", expr: "date.now" } } },
    template: { id: "template", name: "order_created", language: "en_US", status: "approved", definition },
  } as unknown as BindingToPlan;
  const site = {
    testPhone: "+15550009999",
    activePhones: ["+15551230001", "+15551230002"],
    timezone: "Asia/Tokyo",
    platform: {},
    bindings: new Map([["order.created", [binding]]]),
  } as unknown as SiteConfig;

  const planOf = (more: object = {}, siteMore: object = {}) => {
    const event: AuthenticEvent = { site: { ...site, ...siteMore }, ...ordinaryRequest, idempotencyKey: "key", ...more };
    return plan(event, new Date("2026-01-01T00:00:00Z"));
  };

  it("a phone that cannot be read is told with its reason", () => {
    const customer = { ...binding, recipient: { strategy: "customer" } };
    const planned = planOf(
      { payload: { customer: { phone_e164: "0171 2345678" } } },
      { bindings: new Map([["order.created", [customer]]]) },
    );
    expect(planned.plan.skip).toBe("skipped_no_phone");
    expect(planned.trace?.bindings[0]?.phoneProblems).toEqual([{ value: "0171 2345678", reason: "no_country" }]);
  });

  it.each([
    ["all", "sent by the country", ["+491712345678"]],
    ["shop", "dropped, as nobody said so for this path", []],
    ["off", "dropped", []],
  ])("with the switch at %s a phone without country code is %s", (normalizePhones, _what, recipients) => {
    const customer = { ...binding, recipient: { strategy: "customer" } };
    const bindings = new Map([["order.created", [customer]]]);
    const planned = planOf({ payload: { customer: { phone_e164: "0171 2345678" } } }, { bindings, normalizePhones, country: "DE" });
    expect(planned.plan.previews[0]?.recipients).toEqual(recipients);
  });

  it("of a live event without recipient the reason and the field that was looked at are kept, of a shop the field that it fills", () => {
    const bindings = new Map([["order.created", [{ ...binding, recipient: { strategy: "customer" } }]]]);
    const of = (phone: string, more: object = {}, siteMore: object = {}) =>
      planOf({ payload: { customer: { phone } }, topic: "orders/create", ...more }, { bindings, normalizePhones: "shop", ...siteMore })
        .unreached;
    expect([of("0171 2345678"), of(""), of("0171 2345678", {}, { country: "DE" })]).toEqual([
      "no_country customer.phone",
      "no_phone_at_path customer.phone",
      null,
    ]);
    expect(of("0171 2345678", { topic: null })).toBe("no_phone_at_path customer.phone_e164");
    expect([of("", { test: true }), of("", { dryRun: true }), of("", {}, { platform: null })]).toEqual([null, null, null]);
  });

  it("an event becomes a message to each of its recipients, and the platform has a say", () => {
    const planned = planOf();
    const message = (toPhone: string) => ({
      bindingId: "binding",
      templateId: "template",
      template: "order_created",
      language: "en_US",
      toPhone,
      // The date is in the account's time zone.
      components: JSON.stringify([{ type: "body", parameters: [{ type: "text", text: "2026-01-01 09:00" }] }]),
      failure: null,
      timing: null,
    });
    const messages = [message("+15551230001"), message("+15551230002")];
    const id = expect.any(String) as unknown;
    expect(planned).toEqual({
      event: { site, ...ordinaryRequest, idempotencyKey: "key" },
      plan: expect.objectContaining({ skip: null, messages }) as unknown,
      trace: null,
      unreached: null,
      delivery: {
        id,
        name: "order.created",
        test: false,
        site,
        messages: messages.map((one, position) => ({ id, position, message: one, waits: false })),
        outcome: null,
        bindingsRun: 1,
        toShop: false,
      },
    });
    expect(new Set([planned.delivery.id, ...planned.delivery.messages.map((one) => one.id)]).size).toBe(3);
  });

  it("a dry run has no messages of its own, and its trace tells of its recipients", () => {
    const planned = planOf({ dryRun: true });
    expect(planned.delivery).toMatchObject({ messages: [], outcome: "sent" });
    expect(planned.plan.messages).toHaveLength(2);
    expect(planned.trace).toMatchObject({ bindings: [{ bindingId: "binding", recipients: 2 }] });
  });

  it("an event that nobody is to get is answered, and its trace tells of its bindings", () => {
    const planned = planOf({}, { platform: null });
    expect(planned).toMatchObject({
      delivery: { outcome: "skipped_no_config", messages: [] },
      trace: { bindings: [{ recipients: 2 }], more: 0 },
    });
  });

  it("an event of another name has no bindings", () => {
    expect(planOf({ name: "order.paid" })).toMatchObject({
      delivery: { outcome: "no_bindings", messages: [] },
      trace: null,
      plan: { previews: [] },
    });
  });

  it("a test event goes to the site's test phone", () => {
    expect(planOf({ test: true }).delivery.messages).toMatchObject([{ message: { toPhone: "+15550009999" } }]);
  });
});

describe("decided outcome", () => {
  const live = { dryRun: false, queued: false, site: { holdMessages: false } as SiteConfig };
  const dry = { ...live, dryRun: true };
  const planOf = (sendable: number, failed: number, skip: Plan["skip"] = null) => {
    const message = (failure: object | null) => ({ failure, timing: null });
    return { skip, messages: [...Array(sendable).fill(message(null)), ...Array(failed).fill(message({}))] } as unknown as Plan;
  };

  it("what nobody gets is decided, in a dry run as well", () => {
    expect(decidedOutcome(planOf(0, 0, "skipped_no_phone"), live)).toBe("skipped_no_phone");
    expect(decidedOutcome(planOf(0, 0, "no_bindings"), dry)).toBe("no_bindings");
    expect([false, true].map((dryRun) => decidedOutcome(planOf(0, 2), { ...live, dryRun }))).toEqual(["failed", "failed"]);
  });

  it("of what can be sent the platform decides", () => {
    expect([planOf(1, 0), planOf(1, 2)].map((plan) => decidedOutcome(plan, live))).toEqual([null, null]);
  });

  it("in a dry run it passes for sent", () => {
    expect([planOf(1, 0), planOf(1, 1), planOf(2, 1)].map((plan) => decidedOutcome(plan, dry))).toEqual(["sent", "partial", "partial"]);
  });
});

describe("opted out", () => {
  const vault = { fingerprint: (text: string) => `hash of ${text}` };
  const unresolved = { code: "slot_unresolved", slots: [], more: 0 };

  interface Message {
    templateId: string;
    toPhone: string;
    failure: object | null;
  }
  const message = (n: number, templateId = "utility", failure: object | null = null): Message => ({
    templateId,
    toPhone: `+1555123000${n}`,
    failure,
  });
  /** `marketing`: the account's templates of that kind, null where nobody has opted out. */
  const event = (given: Message[], dryRun = false, marketing: string[] | null = ["offer"]): PlannedEvent => {
    const site = { accountId: "account", marketing: marketing && new Set(marketing) };
    const plan = { skip: null, previews: [], traces: [], messages: given };
    const messages = dryRun ? [] : given.map((one, position) => ({ id: `m${position}`, position, message: one }));
    return { event: { site, dryRun }, plan, delivery: { id: "event", site, messages, outcome: null } } as unknown as PlannedEvent;
  };
  const failures = (planned: PlannedEvent) =>
    [planned.plan.messages, planned.delivery.messages.map(({ message: one }) => one)].map((all) => all.map(({ failure }) => failure));

  it("those whom something would be sent are compared with those who opted out", () => {
    const addressee = (position: number, phone: string, marketing: boolean) => ({
      event_id: "event",
      account_id: "account",
      position,
      phone_hash: `hash of ${optOutKey("account", phone)}`,
      marketing,
    });
    expect(toAddressees(event([message(1), message(2, "offer", unresolved), message(3, "offer")]), new Set(["offer"]), vault)).toEqual([
      addressee(0, "+15551230001", false),
      addressee(2, "+15551230003", true),
    ]);
  });

  it("also in a dry run, whose messages have no ids", () => {
    expect(toAddressees(event([message(1)], true), new Set(), vault)).toHaveLength(1);
  });

  it("messages to those who opted out fail, and no others", () => {
    const given = event([message(1), message(2), message(3, "utility", unresolved)]);
    const marked = withOptedOut(given, [1]);
    expect(failures(marked)).toEqual(Array(2).fill([null, optedOut, unresolved]));
    expect(marked.delivery.messages.map(({ id, message: { toPhone }, position }) => [id, toPhone, position])).toEqual([
      ["m0", "+15551230001", 0],
      ["m1", "+15551230002", 1],
      ["m2", "+15551230003", 2],
    ]);
    expect(marked).toMatchObject({ event: given.event, delivery: { id: "event", outcome: null }, plan: { skip: null, previews: [] } });
    expect(failures(given)).toEqual(Array(2).fill([null, null, unresolved]));
  });

  it("an event of which nothing is left to send is decided, and so is a dry run", () => {
    const given = [message(1), message(2)];
    expect(withOptedOut(event(given), [0, 1]).delivery.outcome).toBe("failed");
    expect(withOptedOut(event(given, true), [0]).delivery.outcome).toBe("partial");
  });
});
