import { optedOut, optOutKey } from "shared/core/message";
import type { BindingToPlan, Plan } from "shared/core/plan";
import { expect, it, describe } from "vitest";
import type { SiteConfig } from "../sites/sites.ts";
import type { AuthenticEvent } from "./authenticate.ts";
import { decidedChat } from "./event.ts";
import { toAddressees, withOptedOut } from "./opt-outs.ts";
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

  const given = { source: "shop", name: "order.created", payload: {}, text: "{}", test: false, dryRun: false, idempotencyKey: "key" };

  const planOf = (more: object = {}, siteMore: object = {}) => {
    const event: AuthenticEvent = { site: { ...site, ...siteMore }, ...given, ...more };
    return plan(event, new Date("2026-01-01T00:00:00Z"));
  };

  it("an event becomes a message to each of its recipients, and the platform has a say", () => {
    const planned = planOf();
    const message = (position: number, toPhone: string) => ({
      bindingId: "binding",
      templateId: "template",
      template: "order_created",
      language: "en_US",
      toPhone,
      // By the account's time.
      components: [{ type: "body", parameters: [{ type: "text", text: "2026-01-01 09:00" }] }],
      failure: null,
      id: expect.any(String) as unknown,
      position,
    });
    const messages = [message(0, "+15551230001"), message(1, "+15551230002")];
    const decided = { chat: null, trace: null, plan: expect.objectContaining({ skip: null }) as unknown };
    expect(planned).toEqual({ ...given, ...decided, site, messages, id: expect.any(String) });
    expect(new Set([planned.id, ...planned.messages.map(({ id }) => id)]).size).toBe(3);
    expect(planned.plan.messages).toMatchObject(messages.map(({ toPhone }) => ({ toPhone })));
  });

  it("a dry run has no messages of its own, and its trace tells of its recipients", () => {
    const planned = planOf({ dryRun: true });
    expect(planned.messages).toEqual([]);
    expect(planned.plan.messages).toHaveLength(2);
    expect(planned.chat).toBe("sent");
    expect(planned.trace).toMatchObject({ bindings: [{ bindingId: "binding", recipients: 2 }] });
  });

  it("an event that nobody is to get is answered, and its trace tells of its bindings", () => {
    const planned = planOf({}, { platform: null });
    expect(planned).toMatchObject({ chat: "skipped_no_config", messages: [], trace: { bindings: [{ recipients: 2 }], more: 0 } });
  });

  it("an event of another name has no bindings", () => {
    expect(planOf({ name: "order.paid" })).toMatchObject({ chat: "no_bindings", messages: [], trace: null, plan: { previews: [] } });
  });

  it("a test event goes to the site's test phone", () => {
    expect(planOf({ test: true }).messages).toMatchObject([{ toPhone: "+15550009999" }]);
  });
});

describe("decided chat", () => {
  const planOf = (sendable: number, failed: number, skip: Plan["skip"] = null) => {
    const message = (failure: object | null) => ({ failure });
    return { skip, messages: [...Array(sendable).fill(message(null)), ...Array(failed).fill(message({}))] } as unknown as Plan;
  };

  it("what nobody gets is decided, in a dry run as well", () => {
    expect(decidedChat(planOf(0, 0, "skipped_no_phone"), false)).toBe("skipped_no_phone");
    expect(decidedChat(planOf(0, 0, "no_bindings"), true)).toBe("no_bindings");
    expect([false, true].map((dryRun) => decidedChat(planOf(0, 2), dryRun))).toEqual(["failed", "failed"]);
  });

  it("of what can be sent the platform decides", () => {
    expect([planOf(1, 0), planOf(1, 2)].map((plan) => decidedChat(plan, false))).toEqual([null, null]);
  });

  it("in a dry run it passes for sent", () => {
    expect([planOf(1, 0), planOf(1, 1), planOf(2, 1)].map((plan) => decidedChat(plan, true))).toEqual(["sent", "partial", "partial"]);
  });
});

describe("opted out", () => {
  const vault = { fingerprint: (text: string) => `hash of ${text}` };
  const unresolved = { code: "slot_unresolved", reason: "Nothing there." };

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
  const event = (messages: Message[], more: object = {}, marketing: string[] | null = ["offer"]): PlannedEvent => {
    const site = { accountId: "account", marketing: marketing && new Set(marketing) };
    const plan = { skip: null, previews: [], traces: [], messages };
    const identified = messages.map((one, position) => ({ ...one, id: `m${position}`, position }));
    return { id: "event", site, dryRun: false, chat: null, plan, messages: identified, ...more } as unknown as PlannedEvent;
  };
  const failures = (messages: readonly { failure: unknown }[]) => messages.map(({ failure }) => failure);

  it("those whom something would be sent are compared with those who opted out", () => {
    const addressee = (position: number, phone: string, marketing: boolean) => ({
      event_id: "event",
      account_id: "account",
      position,
      phone_hash: `hash of ${optOutKey("account", phone)}`,
      marketing,
    });
    expect(toAddressees(event([message(1), message(2, "offer", unresolved), message(3, "offer")]), vault)).toEqual([
      addressee(0, "+15551230001", false),
      addressee(2, "+15551230003", true),
    ]);
  });

  it("also in a dry run, whose messages have no ids", () => {
    expect(toAddressees(event([message(1)], { dryRun: true, messages: [] }), vault)).toHaveLength(1);
  });

  it("nobody is where nobody has opted out", () => {
    expect(toAddressees(event([message(1)], {}, null), vault)).toEqual([]);
  });

  it("messages to those who opted out fail, and no others", () => {
    const given = event([message(1), message(2), message(3, "utility", unresolved)]);
    const marked = withOptedOut(given, [1]);
    expect(failures(marked.messages)).toEqual([null, optedOut, unresolved]);
    expect(failures(marked.plan.messages)).toEqual([null, optedOut, unresolved]);
    expect(marked.messages.map(({ id, toPhone, position }) => [id, toPhone, position])).toEqual([
      ["m0", "+15551230001", 0],
      ["m1", "+15551230002", 1],
      ["m2", "+15551230003", 2],
    ]);
    expect(marked).toMatchObject({ id: "event", site: given.site, chat: null, plan: { skip: null, previews: [] } });
    expect(failures(given.messages)).toEqual([null, null, unresolved]);
  });

  it("an event of which nothing is left to send is decided, and so is a dry run", () => {
    const given = [message(1), message(2)];
    expect(withOptedOut(event(given), [0, 1]).chat).toBe("failed");
    expect(withOptedOut(event(given, { dryRun: true, messages: [] }), [0]).chat).toBe("partial");
  });
});
