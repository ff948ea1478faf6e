import fc from "fast-check";
import { learnFields } from "shared/core/fields/learn";
import type { JsonObject } from "shared/core/json";
import type { TemplateDefinition } from "shared/core/template/definition";
import type { UncheckedTemplate } from "shared/core/template/draft";
import { describe, expect, it } from "vitest";
import { data } from "../../../test/support/data.ts";
import { dataBlock, describeMasked, maskSentence, plainText } from "./data.ts";
import { bindingRequest, draftRequest, explainRequest, type RequestText, translateRequest } from "./request.ts";

const definition: TemplateDefinition = data("admin-server-assistant-request", "definition");

const wholeOf = ({ system, messages }: RequestText): string => [system, ...messages.map(({ content }) => content)].join("\n");

/** The text outside all data blocks. */
const outside = (text: string): string => text.replaceAll(/<data name="[a-z]+">\n[^<]*\n<\/data>/g, "");

const askBinding = (payload: JsonObject, withLooks = true): string =>
  wholeOf(bindingRequest({ event: "order.created", definition, fields: learnFields(payload) }, withLooks));

const hostile = data<string[]>("admin-server-assistant-request", "hostile");

describe("what leaves of a payload", () => {
  const personal = {
    customer: { first_name: "Annabel", email: "annabel@example.com", phone: "+49 170 1234567", city: "Hintertupfing" },
    order: { number: "A-778899", total: "49.90", note: "call me at 030 9876543", at: "2026-11-20T08:00:00Z", express: true },
    custom: { greeting: "Dear Annabel", colour: "vermillion" },
  };

  it("are names of fields, types and what values look like, never a value", () => {
    const text = askBinding(personal);
    for (const path of ["customer.first_name", "order.number", "custom.colour"]) expect(text).toContain(path);
    for (const value of ["Annabel", "annabel@", "1234567", "Hintertupfing", "778899", "49.90", "9876543", "2026-11-20", "vermillion"])
      expect(text).not.toContain(value);
    expect(text).toContain('"looks": "datetime"');
    expect(text).toContain('"looks": "personal"');
  });

  it("are names and types alone where the account encrypts payloads", () => {
    expect(askBinding(personal, false)).not.toContain('"looks"');
    expect(askBinding(personal, false)).toContain("customer.first_name");
  });

  it("leaves out names that hold a phone, an address or a long number", () => {
    const text = askBinding({ "+491701234567": { seen: "1" }, by: { "ann@example.com": "1", "4917012345678": "2", plain: "3" } });
    expect(text).not.toMatch(/49170|ann@/);
    expect(text).toContain("by.plain");
  });

  it("holds no text of any payload's values, however it is made", () => {
    const value = fc.string({ minLength: 12, maxLength: 40 }).map((text) => `w${text.replaceAll(/[^a-z]/g, "q")}w`);
    const payload = fc.dictionary(
      fc.constantFrom("order", "a", "note", "sku"),
      fc.oneof(value, fc.array(value), fc.dictionary(fc.constantFrom("x", "name"), value)),
    );
    fc.assert(
      fc.property(payload, (made) => {
        const text = askBinding(made as JsonObject);
        for (const leaf of leavesOf(made)) expect(text).not.toContain(leaf);
      }),
      { numRuns: 50 },
    );
  });

  const leavesOf = (value: unknown): string[] =>
    typeof value === "string" ? [value] : typeof value === "object" && value !== null ? Object.values(value).flatMap(leavesOf) : [];
});

describe("hostile texts", () => {
  it.each(hostile.map((text) => [JSON.stringify(text), text] as const))(
    "stay within their block as values and names of fields: %s",
    (_, text) => {
      const calm = outside(askBinding({ order: { note: "x" } }));
      expect(outside(askBinding({ order: { note: text, [text.replaceAll(".", "")]: text } }))).toBe(calm);
      expect(askBinding({ order: { note: text } })).not.toContain("previous instructions");
    },
  );

  it.each(hostile.map((text) => [JSON.stringify(text), text] as const))(
    "stay within their block as texts of a template and of requests: %s",
    (_, text) => {
      const source: UncheckedTemplate = {
        name: "a",
        language: "en",
        category: "UTILITY",
        body: text,
        header: { format: "TEXT", text },
        footer: text,
      };
      const made = [
        wholeOf(translateRequest(source, "de")),
        wholeOf(draftRequest({ request: text, language: "de" })),
        wholeOf(bindingRequest({ event: text, definition: { ...definition, body: text }, fields: [] }, true)),
        wholeOf(explainRequest({ event: { name: text } }, [{ from: "person", text: "Why?" }])),
      ];
      for (const each of made) {
        expect(outside(each)).not.toMatch(/<\/?data|previous instructions|free now|New instructions/);
        expect(each.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e01ef}\u2028\u2029]/u);
      }
    },
  );

  it("are bounded, however large they are", () => {
    const huge = "x".repeat(1_000_000);
    const payload = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`field_${n}_${"y".repeat(200)}`, huge]));
    expect(askBinding(payload).length).toBeLessThan(100_000);
    const source = { name: "a", language: "en", category: "UTILITY", body: huge };
    expect(wholeOf(translateRequest(source, "de")).length).toBeLessThan(15_000);
    expect(maskSentence(huge).length).toBeLessThan(600);
  });

  it("any text is one block, which ends once", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        const block = dataBlock("a", { text });
        expect(block.split("</data>")).toHaveLength(2);
        expect(block.slice(0, -"</data>".length)).not.toMatch(/<(?!data name="a">)/);
        expect(plainText(plainText(text))).toBe(plainText(text));
      }),
    );
  });
});

it("what a person asks leaves without phones and addresses", () => {
  const { messages } = explainRequest({}, [{ from: "person", text: "Why did +49 170 1234567 (ann@example.com) get nothing?" }]);
  expect(messages[0]?.content).toBe("Why did •••67 ••• get nothing?");
});

describe("reasons", () => {
  it("are told without the values that they saw", () => {
    const rule = { path: "order.city", op: "eq" as const, values: ["Hintertupfing"], saw: "Oberammergau" };
    const told = [
      describeMasked({ code: "conditions_unmet", match: "all", rules: [rule], more: 0 }),
      describeMasked({ code: "due_unreadable", path: "order.due", saw: "when Anna comes" } as never),
      describeMasked({ code: "phone_dropped", phone: "0171 2345678" }),
    ].join("\n");
    expect(told).toContain("order.city");
    expect(told).not.toMatch(/tupfing|ammergau|Anna|2345678/);
  });

  it("of the platform lose what may be a person's", () => {
    const text = maskSentence('Recipient +49 170 1234567 (ann@example.com, 12345678) said “Anna is away” and "more"');
    expect(text).not.toMatch(/1234567|ann@|Anna|more/);
    expect(text).toContain("Recipient");
    expect(maskSentence("The value 'Anna Schmidt' isn't right, ‘Bob’.")).toBe('The value "•••" isn\'t right, "•••".');
  });
});
