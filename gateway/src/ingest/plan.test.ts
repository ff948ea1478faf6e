import type { BindingToPlan } from "shared/core/plan";
import { expect, it, describe } from "vitest";
import { ordinaryRequest } from "../../../test/support/planned-event.ts";
import type { SiteConfig } from "../sites/sites.ts";
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
