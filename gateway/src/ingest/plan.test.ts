import type { BindingToPlan, Plan, PlannedMessage } from "shared/core/plan";
import { expect, it, describe } from "vitest";
import { messageOf, ordinaryRequest } from "../../../test/support/planned-event.ts";
import type { SiteConfig } from "../sites/sites.ts";
import { decidedOutcome, waits } from "./answer.ts";
import type { AuthenticEvent } from "./authenticate.ts";
import { plan } from "./plan.ts";

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
});

const timed = { dueAt: new Date("2026-06-01T08:00:00Z"), expiresAt: null, cancelBy: null, restartBy: null };
const messages = {
  now: messageOf(0).message,
  later: { ...messageOf(1).message, timing: timed as PlannedMessage["timing"] },
  untimed: { ...messageOf(2).message, timing: { ...timed, dueAt: null } as PlannedMessage["timing"] },
  failed: messageOf(3, { code: "recipient_opted_out" }).message,
};
type Kind = keyof typeof messages;
const ordinary = { queued: false, site: { holdMessages: false }, dryRun: false };
const held = { ...ordinary, site: { holdMessages: true } };
const queued = { ...ordinary, queued: true };

it("a message waits for its time, for a held site and in the queue, unless it fails", () => {
  const waiting = (event: typeof ordinary) => (Object.keys(messages) as Kind[]).filter((kind) => waits(messages[kind], event));
  expect([ordinary, held, queued].map(waiting)).toEqual([["later"], ["now", "later", "untimed"], ["now", "later", "untimed"]]);
});

describe("the answer that is known before the platform is asked", () => {
  const dry = { ...ordinary, dryRun: true };
  it.each<[Kind[], typeof ordinary, string | null]>([
    [["now"], ordinary, null],
    [["now", "later"], ordinary, null],
    [["now"], dry, "sent"],
    [["now", "failed"], dry, "partial"],
    [["now", "later"], dry, "sent"],
    [["later"], dry, "scheduled"],
    [["later"], ordinary, "scheduled"],
    [["later", "later"], ordinary, "scheduled"],
    [["later", "failed"], ordinary, "failed"],
    [["failed"], ordinary, "failed"],
    [["failed"], queued, "failed"],
    [["now", "failed"], held, "failed"],
    [["now"], held, "scheduled"],
    [["now"], queued, "accepted"],
    [["later", "failed"], queued, "accepted"],
  ])("%j, %j: %s", (kinds, event, chat) => {
    const plan = { skip: null, messages: kinds.map((kind) => messages[kind]) } as unknown as Plan;
    expect(decidedOutcome(plan, event)).toBe(chat);
  });

  it("is the reason why nothing is sent at all", () => {
    expect(decidedOutcome({ skip: "no_bindings", messages: [] } as unknown as Plan, ordinary)).toBe("no_bindings");
  });
});
