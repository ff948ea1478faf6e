import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type KnownField, type Lesson, mergeFields } from "./known.ts";
import { type Field, maxFields } from "./learn.ts";

const text = (path: string, sample: string | null = "x"): Field => ({ path, type: "string", sample });
const lesson = (eventId: string, ...fields: Field[]): Lesson => ({ eventId, fields });
const learn = (...lessons: Lesson[]): KnownField[] => lessons.reduce<KnownField[]>((known, one) => mergeFields(known, [one]), []);

describe("mergeFields", () => {
  test("keeps the last value and when a path came first and last", () => {
    expect(learn(lesson("2", text("a", "two")), lesson("3", text("a", "three")), lesson("1", text("a", "one"), text("b")))).toEqual([
      { path: "a", type: "string", sample: "three", first: "1", last: "3", sampled: "3", again: true },
      { path: "b", type: "string", sample: "x", last: "1", sampled: "1", again: false },
    ]);
  });

  test("keeps a value over none, and an empty text over null", () => {
    const none: Field = { path: "a", type: "null", sample: null };
    const [field] = learn(lesson("1", { path: "a", type: "number", sample: "5" }), lesson("2", none), lesson("3", text("a", null)));
    expect(field).toEqual({ path: "a", type: "number", sample: "5", last: "3", sampled: "1", again: true });
    expect(learn(lesson("1", text("a", null)), lesson("2", none))[0]).toMatchObject({ type: "string", sampled: "1", last: "2" });
    expect(learn(lesson("1", none), lesson("2", { path: "a", type: "object", sample: null }))[0]).toMatchObject({ type: "object" });
  });

  test("remembers the first and the last event of each type that a value had", () => {
    const [field] = learn(lesson("2", text("a")), lesson("4", { path: "a", type: "number", sample: "5" }), lesson("3", text("a")));
    expect(field).toMatchObject({
      type: "number",
      sampled: "4",
      types: { string: { first: "2", last: "3" }, number: { first: "4", last: "4" } },
    });
    expect(learn(lesson("2", text("a")), lesson("3", { path: "a", type: "null", sample: null }))[0]).not.toHaveProperty("types");
  });

  test("makes nothing of the order, or of learning an event again", () => {
    const field = fc.record<Field>({
      path: fc.constantFrom("a", "b.c", "order.id", "list[]"),
      type: fc.constantFrom("string", "null", "object"),
      sample: fc.constantFrom(null, "x", "y"),
    });
    const lessons = fc.uniqueArray(
      fc.record<Lesson>({ eventId: fc.stringMatching(/^[0-9a-f]{3}$/), fields: fc.uniqueArray(field, { selector: ({ path }) => path }) }),
      { selector: ({ eventId }) => eventId, maxLength: 8 },
    );
    fc.assert(
      fc.property(
        lessons.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        ([all, again, shuffled]) => {
          expect(learn(...again, ...shuffled, ...again)).toEqual(mergeFields([], all));
        },
      ),
      { seed: 3, numRuns: 300 },
    );
  });
});

describe("beyond the bounds", () => {
  const junk = (from: number, count: number, sample = "x"): Field[] =>
    Array.from({ length: count }, (_, n) => text(`junk${String(from + n).padStart(6, "0")}`, sample));
  const paths = (known: readonly KnownField[]): string[] => known.map(({ path }) => path);

  test("conventional paths stay, and what comes again and again, whatever else comes", () => {
    let known = learn(
      lesson("01", text("order.items[].name"), text("customer.email"), text("invoice.number")),
      lesson("02", text("invoice.number")),
    );
    for (let event = 10; event < 30; event += 1) known = mergeFields(known, [lesson(String(event), ...junk(event * 400, 400))]);
    expect(known).toHaveLength(maxFields);
    expect(paths(known)).toEqual(expect.arrayContaining(["customer.email", "invoice.number", "order.items[].name"]));
    expect(paths(known)).toContain("junk011999");
  });

  test("what came lately takes the place of what came once long ago", () => {
    const known = mergeFields(learn(lesson("1", ...junk(0, maxFields))), [lesson("2", text("new"))]);
    expect(known).toHaveLength(maxFields);
    expect(paths(known)).toContain("new");
  });

  test("of what came once, together, the paths that are less deep stay, and of those the first by name", () => {
    const fields = [...junk(0, maxFields - 1), text("deep.down.below"), text("deep.er"), text("zz")];
    expect(paths(learn(lesson("1", ...fields))).filter((path) => !path.startsWith("junk"))).toEqual(["zz"]);
    const named = [...junk(0, maxFields - 1), text("b"), text("zz"), text("zzz")];
    expect(paths(learn(lesson("1", ...named))).filter((path) => !path.startsWith("junk"))).toEqual(["b"]);
  });

  test("as many and as much as there may be are kept as they are", () => {
    expect(learn(lesson("1", ...junk(0, maxFields)))).toHaveLength(maxFields);
    const whole = Array.from({ length: 256 }, (_, n) => text(`p${String(n).padStart(5, "0")}`.padEnd(200, "p"), "s".repeat(56)));
    expect(learn(lesson("1", ...whole))).toHaveLength(256);
    expect(learn(lesson("1", ...whole, text("q", null)))).toHaveLength(256);
  });

  test("the whole stays short", () => {
    const long = junk(0, 400, "s".repeat(80)).map((field) => ({ ...field, path: field.path.padEnd(250, "p") }));
    const known = learn(lesson("1", text("order.id"), ...long));
    expect(known.reduce((sum, { path, sample }) => sum + path.length + (sample?.length ?? 0), 0)).toBeLessThanOrEqual(65_536);
    expect(known.length).toBeGreaterThan(150);
    expect(paths(known)).toContain("order.id");
  });
});
