import { describe, expect, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { shopBody } from "../../../../test/support/shops/bodies.ts";
import { mapErrors, mapSlots } from "../binding.ts";
import { compileConditions } from "../conditions.ts";
import { createBindingInput } from "../input/bindings.ts";
import { templateInputSchema } from "../input/templates.ts";
import { type JsonObject, parseJson } from "../json.ts";
import { defaultStopWords, readWords } from "../opt-out-words.ts";
import type { SourceType } from "../site.ts";
import { decide, noHistory } from "../sources/history.ts";
import { headerReader, sources } from "../sources/sources.ts";
import { checkTemplate, templateWarnings } from "../template/check.ts";
import { toDefinition } from "../template/draft.ts";
import { renderText } from "../template/message.ts";
import { slotNames } from "../template/slots.ts";
import { gallery, galleryLanguages, galleryMap, galleryNames, galleryTemplate, nearestLanguage } from "./entries.ts";
import { readyBindings } from "./ready.ts";

const every = galleryNames.flatMap((name) => galleryLanguages.map((language) => [name, language] as const));

describe("the gallery", () => {
  test("has twenty messages and more, in the languages that shops ask for", () => {
    expect(galleryNames.length).toBeGreaterThanOrEqual(20);
    expect(galleryLanguages).toEqual(expect.arrayContaining(["en", "de", "es", "pt_BR", "fr", "it", "tr", "ar"]));
    expect(new Set(galleryNames).size).toBe(galleryNames.length);
  });

  test.each(every)("%s in %s keeps the platform's rules, and its examples make a message without holes", (name, language) => {
    const template = galleryTemplate(name, language);
    expect(checkTemplate(template)).toEqual([]);
    expect(templateInputSchema.safeParse(template).success).toBe(true);
    const definition = toDefinition(template);
    expect(templateWarnings(definition)).toEqual([]);
    expect(renderText(definition, definition.examples)).not.toMatch(/[{}]|undefined| {2}/);
    expect([definition.body, template.header.text].map((text) => text.trim())).toEqual([definition.body, template.header.text]);
  });

  test.each(galleryNames)("%s has the same variables in every language", (name) => {
    const numbers = gallery[name].variables.map((_, index) => String(index + 1));
    for (const language of galleryLanguages) {
      const definition = toDefinition(galleryTemplate(name, language));
      expect(slotNames(definition)).toEqual({ header: [], body: numbers, buttonUrl: [] });
      for (const number of numbers) expect(definition.body.split(`{{${number}}}`)).toHaveLength(2);
      const map = galleryMap(name, language);
      expect([Object.keys(map.body ?? {}), mapErrors(map, definition)]).toEqual([numbers, []]);
    }
  });

  test.each(galleryLanguages)("no two texts in %s are the same, as the platform refuses the second", (language) => {
    const texts = galleryNames.map((name) => galleryTemplate(name, language).body);
    expect(new Set(texts).size).toBe(texts.length);
  });

  test.each(galleryLanguages)("the button of marketing in %s is a word that stops", (language) => {
    const [button] = galleryTemplate("welcome", language).buttons;
    expect(readWords({ stopWords: defaultStopWords, startWords: [] })(button?.text ?? "")).toBe("stop");
    expect(galleryTemplate("order_shipped", language).buttons).toEqual([]);
  });

  test("a locale has its nearest language, or none", () => {
    expect(["pt", "pt-BR", "de_AT", "EN", "zh-Hant", ""].map(nearestLanguage)).toEqual(["pt_BR", "pt_BR", "de", "en", null, null]);
  });
});

/** A shop's post: its topic, a body by its file's name, the changes to it, and the body that came before for its order. */
type Posted = [topic: string, body: string, changes?: object, before?: string];

const posts: Record<Exclude<SourceType, "generic">, Posted[]> = data("core-gallery-gallery", "posts");

const topicHeader = { shopify: "x-shopify-topic", woocommerce: "x-wc-webhook-topic" };

/** The event that the gateway makes of the post. */
function mapped(type: keyof typeof posts, [topic, name, changes = {}, before]: Posted): { event: string; payload: JsonObject } {
  const source = sources[type];
  const body = { ...(parseJson(shopBody(name)) as JsonObject), ...changes } as JsonObject;
  const headers = headerReader({ [topicHeader[type]]: topic });
  const delivery = source.deliveryOf(headers, body);
  const given = { topicMap: {}, history: noHistory, mark: (text: string) => text, isFetched: false };
  const tells = delivery === null ? null : decide(source, delivery, given).tells;
  const storedOrder = before === undefined ? null : mapped(type, ["orders/create", before]).payload;
  const known = { topic, siteUrl: "https://shop.example", storedOrder, refund: tells?.news.refund ?? null };
  return { event: tells?.event ?? "", payload: source.payloadOf(body, known) };
}

const context = { now: new Date("2026-03-14T09:00:00Z"), timezone: "UTC" };

function unresolved(name: (typeof galleryNames)[number], payload: JsonObject, values = {}) {
  const definition = toDefinition(galleryTemplate(name, "en"));
  return mapSlots(galleryMap(name, "en", values), definition, { payload, ...context }).unresolved;
}

describe("the bindings that are ready", () => {
  test.each(Object.entries(readyBindings).flatMap(([type, list]) => list.map((each) => [type, each.event, each.template, each] as const)))(
    "%s: %s sends %s, as the API takes it",
    (_type, event, template, { conditions, schedule, values }) => {
      expect(gallery[template].events).toContain(event);
      const [siteId, templateId] = ["0198f3b2-6c11-7a52-8f7e-5d1f3a9b2c41", "0198f3b2-6c11-7a52-8f7e-5d1f3a9b2c42"];
      const recipient = { strategy: "customer" as const };
      const variableMap = galleryMap(template, "de", values);
      const input = { siteId, event, templateId, recipient, variableMap, conditions, ...schedule };
      expect(createBindingInput.parse(input)).toMatchObject(input);
    },
  );

  test.each(Object.entries(readyBindings))("no two of %s are for the same event and template", (_type, list) => {
    expect(new Set(list.map(({ event, template }) => `${event} ${template}`)).size).toBe(list.length);
  });

  const shopBindings = (["shopify", "woocommerce"] as const).flatMap((type) =>
    readyBindings[type].map((binding) => [type, binding.event, binding.template, binding] as const),
  );

  test.each(shopBindings)("%s: each %s that fires %s has every value", (type, event, template, { conditions, values }) => {
    const payloads = posts[type].map((posted) => mapped(type, posted)).filter((each) => each.event === event);
    const fired = payloads.filter(({ payload }) => conditions === null || compileConditions(conditions)(payload) === null);
    expect(fired.length).toBeGreaterThan(0);
    for (const { payload } of fired) expect(unresolved(template, payload, values)).toEqual([]);
  });

  test.each(data<[keyof typeof posts, number, string[]][]>("core-gallery-gallery", "what is sent at once"))(
    "%s's body %i sends at once, of what is usual, %j",
    (type, index, sent) => {
      const posted = posts[type][index];
      const { event, payload } = mapped(type, posted ?? ["", ""]);
      const fired = readyBindings[type].filter(
        (each) =>
          each.isUsual && each.event === event && (each.conditions === null || compileConditions(each.conditions)(payload) === null),
      );
      expect(fired.map(({ template }) => template)).toEqual(sent);
    },
  );
});

test.each([
  ["shopify", ["orders/create", "shopify-orders-create", {}], true],
  ["shopify", ["orders/create", "shopify-orders-create", { payment_gateway_names: ["Cash on Delivery (COD)"] }], false],
  ["woocommerce", ["order.created", "woocommerce-order-created"], true],
  ["woocommerce", ["order.created", "woocommerce-order-created", { payment_method: "cod" }], false],
] as const)("%s: %j asks for payment: %s, as who pays on delivery is not to be asked", (type, [topic, name, changes = {}], asks) => {
  const reminder = readyBindings[type].find(({ template }) => template === "payment_reminder");
  const { payload } = mapped(type, [topic, name, changes]);
  expect(reminder?.conditions && compileConditions(reminder.conditions)(payload) === null).toBe(asks);
});

/** A post of a program of one's own, by our conventions. */
const examples: Record<string, JsonObject> = data("core-gallery-gallery", "examples");

test.each(galleryNames.flatMap((name) => gallery[name].events.map((event) => [name, event] as const)))(
  "%s finds every value in %s",
  (name, event) => {
    expect(unresolved(name, examples[event] ?? {})).toEqual([]);
  },
);
