import type { BindingToPlan } from "shared/core/plan";
import { expect, it } from "vitest";
import type { SiteConfig } from "../sites/site-config.ts";
import { plan } from "./plan.ts";
import type { AuthenticEvent } from "./read-event.ts";

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
