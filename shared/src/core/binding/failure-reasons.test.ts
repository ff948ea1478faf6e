import { expect, test } from "vitest";
import type { TemplateDefinition } from "../template/definition.ts";
import { planEvent } from "./plan-event.ts";
import type { PlannedMessage } from "./plan.ts";
import type { RecipientStrategy } from "./recipient.ts";

const definition: TemplateDefinition = {
  parameterFormat: "POSITIONAL",
  header: null,
  body: "Thanks.",
  footer: null,
  buttons: [],
  examples: { header: [], body: [], buttonUrl: [] },
};

const plan = (
  change: Partial<TemplateDefinition>,
  activePhones: string[],
  recipient: RecipientStrategy = { strategy: "site_recipients" },
) =>
  planEvent({
    bindings: [
      {
        id: "binding-1",
        recipient,
        variableMap: {},
        template: { id: "t", name: "t", language: "en", status: "approved", definition: { ...definition, ...change } },
      },
    ],
    payload: { customer: { phone_e164: "" } },
    test: false,
    site: { testPhone: null, activePhones },
    account: { timezone: "UTC", configured: true },
    now: new Date("2026-05-18T12:00:00Z"),
  });
const failure = (change: Partial<TemplateDefinition>): PlannedMessage["failure"] | undefined =>
  plan(change, ["+491701234567"]).messages[0]?.failure;
const body = (slots: number): string => Array.from({ length: slots }, (_, index) => `x {{${index + 1}}}`).join(" ");

test("too many messages", () => {
  const phones = Array.from({ length: 201 }, (_, index) => `+4917012${String(index).padStart(5, "0")}`);
  expect(plan({}, phones).messages.at(-1)?.failure).toEqual({
    code: "too_many_recipients",
    reason: "An event addresses at most 200 messages; split the recipients over several events.",
  });
});

test("a template that cannot be sent", () => {
  expect(failure({ header: { format: "OTHER", type: "LOCATION" } })?.reason).toMatch(/^The template cannot be sent: its header is .*\.$/);
});

test("as many unresolved slots as are listed, and one more", () => {
  expect(failure({ body: body(5) })?.reason).toMatch(/body \{\{5\}\}: not in the variable map$/);
  expect(failure({ body: body(6) })?.reason).toMatch(/body \{\{5\}\}: not in the variable map; and 1 more$/);
});

test.each<[RecipientStrategy, string[], string]>([
  [{ strategy: "customer" }, [], "no recipient: customer.phone_e164 is missing or no text"],
  [{ strategy: "site_recipients" }, ["0170"], "the phone is not E.164"],
  [{ strategy: "site_recipients" }, ["0170", "0171"], "the phones are not E.164"],
])("%j of %j: %s", (recipient, phones, reason) => {
  expect(plan({}, phones, recipient).traces[0]).toMatchObject({ reasons: [reason], dropped: phones });
});
