import { expect, test, describe } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { describeReason } from "../reason.ts";
import { checkTemplate, type TemplateInput } from "./check.ts";
import type { TemplateDefinition } from "./definition.ts";
import { toDefinition, toInput, mergeTemplate, type PlatformWord, type StoredTemplate, type UncheckedTemplate } from "./draft.ts";

describe("to definition", () => {
  const named = { name: "thanks", language: "en", category: "UTILITY" };

  test("fills in what the input leaves out, and writes line breaks one way", () => {
    expect(toDefinition({ ...named, body: "a\r\nb\rc", footer: "" })).toEqual(
      data("core-template-draft", "fills in what the input leaves out, and writes line breaks o"),
    );
  });

  test("there and back", () => {
    const input: TemplateInput = {
      ...named,
      header: { format: "IMAGE", url: "https://cdn.example/a.png" },
      body: "Hi {{1}} there",
      footer: "Bye",
      buttons: [{ type: "URL", text: "Go", url: "https://shop.example/{{1}}" }],
      examples: { header: [], body: ["Ada"], buttonUrl: ["7"] },
    };
    expect(toInput({ ...named, definition: toDefinition(input) })).toEqual(input);
    for (const header of [null, { format: "TEXT" as const, text: "News" }])
      expect(toInput({ ...named, definition: toDefinition({ ...input, header }) })).toEqual({ ...input, header });
  });

  test("an uploaded file goes by its id", () => {
    const input: TemplateInput = { ...named, header: { format: "VIDEO", fileId: "019aa000-0000-7000-8000-00000000abcd" }, body: "Thanks" };
    const definition = toDefinition(input);
    expect(definition.header).toEqual({
      format: "VIDEO",
      url: null,
      file: { id: "019aa000-0000-7000-8000-00000000abcd", name: "", mediaId: null },
    });
    expect(toInput({ ...named, definition })?.header).toEqual(input.header);
  });

  test.each<Partial<TemplateDefinition>>(data("core-template-draft", "a template with j is no input"))(
    "a template with %j is no input",
    (change) => {
      const definition = { ...toDefinition({ ...named, body: "Thanks" }), ...change };
      expect(toInput({ ...named, definition })).toBeNull();
    },
  );
});

const codes = { name: "code", language: "en", category: "AUTHENTICATION", body: "" };

test.each<[UncheckedTemplate, string, RegExp]>([
  [{ ...codes, ttlSeconds: 901 }, "ttlSeconds", /30 to 900 seconds.*-1/],
  [{ ...codes, authentication: { buttonText: "l".repeat(26) } }, "authentication.buttonText", /25/],
  [{ ...codes, category: "UTILITY", body: "All is well.", authentication: {} }, "authentication", /only AUTHENTICATION/],
  [{ ...codes, category: "UTILITY", body: "All is well.", ttlSeconds: 29 }, "ttlSeconds", /30 to 43,200 seconds/],
  [{ ...codes, category: "MARKETING", body: "All is well.", ttlSeconds: -1 }, "ttlSeconds", /43,200 to 2,592,000 seconds/],
])("%j is refused at %s", (input, field, message) => {
  expect(checkTemplate(input).map((fault) => [fault.field, describeReason(fault.reason)])).toEqual([
    [field, expect.stringMatching(message)],
  ]);
});

test("choices of one-time codes are there and back", () => {
  const authentication = { addSecurityRecommendation: true, codeExpirationMinutes: 10, buttonText: "Copy" };
  const input = { ...codes, authentication, ttlSeconds: -1 };
  expect(checkTemplate(input)).toEqual([]);
  expect(toInput({ ...input, ttl_seconds: -1, definition: toDefinition(input) })).toEqual(input);
});

const definition = toDefinition({ name: "a", language: "en", category: "UTILITY", body: "All is well." });
const stored: StoredTemplate = {
  platform_id: "1",
  category: "UTILITY",
  status: "pending",
  reason: null,
  quality: null,
  told_at: null,
  ttl_seconds: null,
  source: null,
  upcoming_category: null,
  upcoming_at: null,
  definition,
};
const nothing: PlatformWord = data("core-template-draft", "nothing");
const at = (second: number): Date => new Date(1_790_000_000_000 + second * 1000);
const merge = (local: Partial<StoredTemplate>, word: Partial<PlatformWord>) =>
  mergeTemplate({ ...stored, ...local }, { ...nothing, ...word });

describe("mergeTemplate", () => {
  test.each<[string, Partial<StoredTemplate>, Partial<PlatformWord>]>([
    ["silence", {}, {}],
    ["what is known", { quality: "GREEN" }, { platformId: "1", category: "UTILITY", status: "pending", quality: "GREEN", definition }],
    ["the same parts in another order", {}, { definition: Object.fromEntries(Object.entries(definition).toReversed()) as never }],
    ["a repeat", { status: "paused", told_at: at(5) }, { status: "paused", toldAt: at(5) }],
    ["an older word of the same", { status: "paused", told_at: at(5) }, { status: "paused", toldAt: at(2) }],
  ])("%s is no news", (_, local, word) => {
    expect(merge(local, word)).toBeNull();
  });

  test.each<[string, Partial<StoredTemplate>, Partial<PlatformWord>, Partial<StoredTemplate>]>([
    ["a status", {}, { status: "approved" }, { status: "approved" }],
    ["a status with its reason", {}, { status: "rejected", reason: "SCAM" }, { status: "rejected", reason: "SCAM" }],
    ["a category of the platform's own", {}, { category: "MARKETING" }, { category: "MARKETING" }],
    ["a quality", {}, { quality: "RED" }, { quality: "RED" }],
    ["the time of a later word of the same", { status: "paused", told_at: at(5) }, { status: "paused", toldAt: at(9) }, { told_at: at(9) }],
    ["an id that was not known", { platform_id: null }, { platformId: "7" }, { platform_id: "7" }],
    [
      "a list without reasons keeps what a callback told",
      { status: "paused", reason: "FIRST_PAUSE" },
      { status: "paused", quality: "RED" },
      { status: "paused", reason: "FIRST_PAUSE", quality: "RED" },
    ],
    [
      "and forgets it with the status",
      { status: "paused", reason: "FIRST_PAUSE" },
      { status: "approved" },
      { status: "approved", reason: null },
    ],
    [
      "a late callback changes everything but the status",
      { status: "paused", reason: "FIRST_PAUSE", told_at: at(5) },
      { status: "approved", category: "MARKETING", toldAt: at(4) },
      { status: "paused", reason: "FIRST_PAUSE", category: "MARKETING", told_at: at(5) },
    ],
    [
      "one of the same second counts",
      { status: "pending", told_at: at(5) },
      { status: "approved", toldAt: at(5) },
      { status: "approved", told_at: at(5) },
    ],
    ["the list is always of now", { status: "approved", told_at: at(5) }, { status: "disabled" }, { status: "disabled", told_at: at(5) }],
  ])("%s", (_, local, word, expected) => {
    expect(merge(local, word)).toEqual({ ...stored, ...local, ...expected });
  });

  const media: TemplateDefinition = { ...definition, header: { format: "IMAGE", url: "https://cdn.example/a.png" } };
  const remote = (header: TemplateDefinition["header"]): TemplateDefinition => ({ ...definition, body: "Another text.", header });

  test("a header's file stays while the header is of its kind", () => {
    expect(merge({ definition: media }, { definition: remote({ format: "IMAGE", url: null }) })?.definition).toEqual(remote(media.header));
    expect(merge({ definition: media }, { definition: remote({ format: "VIDEO", url: null }) })?.definition.header).toEqual({
      format: "VIDEO",
      url: null,
    });
    const other = remote({ format: "IMAGE", url: "https://cdn.example/b.png" });
    expect(merge({ definition: media }, { definition: other })?.definition).toEqual(other);
    const added = remote({ format: "IMAGE", url: null });
    expect(merge({}, { definition: added })?.definition).toEqual(added);
    const file = { format: "IMAGE" as const, url: null, file: { id: "f", name: "a.png", mediaId: "9" } };
    const merged = merge({ definition: { ...definition, header: file } }, { definition: remote({ format: "IMAGE", url: null }) });
    expect(merged?.definition.header).toEqual(file);
  });

  test("a correction of a rejected template stays until it is submitted", () => {
    const word = { platformId: "1", status: "rejected" as const, definition: remote(null) };
    expect(merge({ status: "rejected" }, word)).toBeNull();
    expect(merge({ status: "rejected" }, { ...word, platformId: "2" })?.definition).toEqual(remote(null));
    expect(merge({ status: "pending" }, word)?.definition).toEqual(remote(null));
    expect(merge({ status: "rejected" }, { ...word, status: "approved" })?.definition).toEqual(remote(null));
  });
});
