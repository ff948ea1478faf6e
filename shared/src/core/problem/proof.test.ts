import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { isProofAlert, isProofProblem, type ProofFacts } from "./proof.ts";

const now = Date.parse("2026-01-01T12:00:00Z");
const minutesAgo = (minutes: number) => new Date(now - minutes * 60_000);

/** A site without a valid request, whose `refused` requests all came in the last ten minutes, unless changed. */
const facts = (changes: Partial<ProofFacts>): ProofFacts => ({
  validAt: null,
  refused: 0,
  valid: 0,
  between: 0,
  since: changes.refused ?? 0,
  firstSince: minutesAgo(9),
  lastRefused: minutesAgo(1),
  endedLately: false,
  ...changes,
});
/** A shop with valid requests before and after. */
const healthy = { validAt: minutesAgo(0.5), since: 0, firstSince: null };

test.each([
  ["nine of nine", facts({ refused: 9 }), true],
  ["four of four", facts({ refused: 4 }), false],
  ["five of nine", facts({ ...healthy, refused: 5, valid: 4 }), true],
  ["five of ten", facts({ ...healthy, refused: 5, valid: 5 }), false],
  ["rubbish beside many valid ones", facts({ ...healthy, refused: 400, valid: 1_000 }), false],
  ["three over an hour, none valid since", facts({ since: 3, firstSince: minutesAgo(61) }), true],
  ["three over an hour since the last valid one", facts({ since: 3, validAt: minutesAgo(80), firstSince: minutesAgo(61) }), true],
  ["three in fifty minutes", facts({ since: 3, firstSince: minutesAgo(51) }), false],
  ["two over a day", facts({ since: 2, firstSince: minutesAgo(1440) }), false],
  ["a third one and a valid one after it", facts({ ...healthy, refused: 1 }), false],
])("an alert begins: %s", (_name, given, begins) => {
  expect(isProofAlert(given, false)).toBe(begins);
});

test.each([
  ["while nothing has come since", facts({ since: 9 }), true],
  ["though few are refused", facts({ refused: 1 }), true],
  ["not after the first valid request", facts({ ...healthy, refused: 9, valid: 1 }), false],
  ["while most are refused and valid ones come between", facts({ ...healthy, refused: 9, valid: 4, between: 3 }), true],
  ["not once half of them are valid again", facts({ ...healthy, refused: 9, valid: 9, between: 3 }), false],
])("it goes on %s", (_name, given, goesOn) => {
  expect(isProofAlert(given, true)).toBe(goesOn);
});

test("within an hour of its end it begins again with five in a row alone", () => {
  const endedLately = { validAt: minutesAgo(5), endedLately: true };
  expect(isProofAlert(facts({ ...endedLately, refused: 40, since: 4, valid: 3, between: 3 }), false)).toBe(false);
  expect(isProofAlert(facts({ ...endedLately, refused: 40, since: 5, valid: 3, between: 3 }), false)).toBe(true);
});

describe("for those who ask", () => {
  it.each([
    ["the first refused request of a site that was never connected", facts({ since: 1 }), true],
    ["two since the last valid one", facts({ validAt: minutesAgo(60), since: 2 }), false],
    ["three since the last valid one", facts({ validAt: minutesAgo(60), since: 3 }), true],
    ["most of ten minutes, with valid ones between", facts({ ...healthy, refused: 5, valid: 4, between: 2 }), true],
    ["most of ten minutes, before it was mended", facts({ ...healthy, refused: 9, valid: 1 }), false],
    ["none since the last valid one", facts({ ...healthy, refused: 3, valid: 1 }), false],
  ])("a problem is %s", (_name, given, is) => {
    expect(isProofProblem(given)).toBe(is);
  });

  it("an alert that goes on is also told of when people ask", () => {
    const count = fc.nat(20);
    const any = fc.record({
      refused: count,
      valid: count,
      since: count,
      isKnown: fc.boolean(),
      minutes: fc.nat(200),
      endedLately: fc.boolean(),
    });
    fc.assert(
      fc.property(any, ({ isKnown, minutes, ...counts }) => {
        const given = facts({
          ...counts,
          validAt: isKnown ? minutesAgo(300) : null,
          firstSince: counts.since > 0 ? minutesAgo(minutes) : null,
        });
        return !isProofAlert(given, false) || !isProofAlert(given, true) || isProofProblem(given);
      }),
    );
  });
});
