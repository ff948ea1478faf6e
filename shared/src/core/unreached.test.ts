import fc from "fast-check";
import { expect, test } from "vitest";
import { dottedPathSchema } from "./input/values.ts";
import { phoneProblems } from "./phone.ts";
import { findUnreached, type PlanInput, planEvent } from "./plan.ts";
import type { Unreached } from "./reason.ts";
import type { RecipientStrategy } from "./recipient.ts";
import { readUnreachedKey, unreachedKey } from "./unreached.ts";

const anyPath = fc.string().filter((path) => dottedPathSchema.safeParse(path).success);
const anyReason = fc.oneof(
  fc.constantFrom<Unreached>({ code: "no_active_recipient" }, { code: "no_test_phone" }),
  anyPath.map((path): Unreached => ({ code: "no_phone_at_path", path })),
  fc.record({ code: fc.constant("phone_unreadable" as const), path: anyPath, problem: fc.constantFrom(...phoneProblems) }),
);

test("a key is read back as the reason that it was written for, and no other text is one", () => {
  fc.assert(
    fc.property(anyReason, (reason) => {
      expect(readUnreachedKey(unreachedKey(reason))).toEqual(reason);
    }),
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.constantFrom(...phoneProblems, "no_phone_at_path").map((code) => `${code} a.b`),
      ),
      (text) => {
        const reason = readUnreachedKey(text);
        expect(reason === null || unreachedKey(reason) === text).toBe(true);
      },
    ),
  );
  for (const text of ["", "any", "no_country", "no_country ", " customer.phone", "sent customer.phone"])
    expect(readUnreachedKey(text)).toBeNull();
});

const definition = { parameterFormat: "POSITIONAL", header: null, body: "Hello", footer: null, buttons: [], examples: {} };
const template = { id: "template", name: "order_created", language: "en", status: "approved", definition };

const unreachedOf = (strategies: RecipientStrategy[], more: Partial<PlanInput> = {}, dryRun = false) => {
  const input = {
    bindings: strategies.map((recipient, index) => ({ id: `binding-${index}`, recipient, variableMap: {}, template })),
    payload: { customer: { phone_e164: "+15551230001" }, data: { phone: null } },
    test: false,
    site: { testPhone: null, activePhones: [] },
    readPhone: () => ({ problem: "too_short" as const }),
    account: { timezone: "UTC", configured: true },
    now: new Date(),
    ...more,
  } as unknown as PlanInput;
  return findUnreached(planEvent(input), input, dryRun);
};
const customer = { strategy: "customer" } as const;
const team = { strategy: "site_recipients" } as const;
const at = { strategy: "field_path", path: "data.phone" } as const;

test("the first message without recipient tells, also where others have one", () => {
  expect(unreachedOf([customer])).toBeNull();
  expect(unreachedOf([customer, at, team])).toEqual({ code: "no_phone_at_path", path: "data.phone" });
  expect(unreachedOf([team])).toEqual({ code: "no_active_recipient" });
  expect(unreachedOf([{ strategy: "test" }])).toEqual({ code: "no_test_phone" });
  expect(unreachedOf([customer], { payload: { customer: { phone_e164: "12" } } })).toEqual({
    code: "phone_unreadable",
    path: "customer.phone_e164",
    problem: "too_short",
  });
});

test("tests, dry runs and events for which nothing would be sent anyway do not count", () => {
  expect(unreachedOf([at], { test: true })).toBeNull();
  expect(unreachedOf([at], {}, true)).toBeNull();
  expect(unreachedOf([at], { account: { timezone: "UTC", configured: false } })).toBeNull();
  expect(unreachedOf([])).toBeNull();
});
