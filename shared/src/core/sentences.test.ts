import { expect, test } from "vitest";
import samples from "../../../test/support/data/core-sentences.json" with { type: "json" };
import type { ProblemKind, TellableProblem } from "./problem/problem.ts";
import { describeProblem } from "./problem/words.ts";
import { describeReason, type Reason, type StoredReason } from "./reason.ts";
import { describeSchedule } from "./schedule/describe.ts";
import type { Schedule } from "./schedule/schedule.ts";
import { readFailure } from "./stored-failure.ts";
import { english, type Write } from "./wording.ts";

// Every sentence that is made of data, in English: the texts for callers of the API stay the same to the letter.

const reasons = samples.reasons satisfies Record<Reason["code"], object[]>;
const problems = samples.problems satisfies Record<ProblemKind, object[]>;
/** The subjects of a kind whose words tell it. */
const subjects: Partial<Record<ProblemKind, string[]>> = samples.subjects;
const schedules = samples.schedules as (Schedule | null)[];

const allReasons = Object.entries(reasons).flatMap(([code, samples]) => samples.map((sample) => ({ code, ...sample }) as Reason));
const allProblems = (Object.keys(problems) as ProblemKind[]).flatMap((kind) =>
  problems[kind].flatMap((detail) =>
    (subjects[kind] ?? ["id1"]).flatMap((subject) =>
      [
        { count: 0, more: false },
        { count: 1, more: false },
        { count: 1000, more: true },
      ].map((measure) => ({ kind, detail, subject, siteId: "s1", ...measure }) as TellableProblem),
    ),
  ),
);

/** The same as `english`, but fails if a placeholder has no value. */
const strict: Write = (text, values = {}) => {
  const names = Array.from(text.matchAll(/\{(\w+)[,}]/gu), ([, name = ""]) => name);
  if (!names.every((name) => name === "once" || Object.hasOwn(values, name))) throw new Error(`a placeholder has no value: ${text}`);
  return english(text, values);
};

test("a stored failure is read as the reason that it was written of", () => {
  const failures = allReasons.filter(({ code }) => failureCodes.has(code)) as StoredReason[];
  expect(new Set(failures.map(({ code }) => code))).toEqual(failureCodes);
  for (const failure of failures) expect(readFailure(failure.code, describeReason(failure))).toEqual(failure);
  expect(readFailure("131009", "Parameter value is not valid")).toBeNull();
  for (const code of failureCodes)
    for (const text of ["", "; ", "body had {{1}} and now has", "The template x (y) is gone; no", null])
      expect(readFailure(code, text)).toBeNull();
});

const failureCodes: ReadonlySet<string> = new Set<StoredReason["code"]>([
  "in_doubt",
  "deadline",
  "unexpected_answer",
  "slot_unresolved",
  "template_not_approved",
  "template_not_sendable",
  "template_changed",
  "too_long",
  "url_not_fitting",
  "too_many_recipients",
  "recipient_opted_out",
  "restarted",
  "cancelled_by_event",
]);

test("every sentence reads in English as it always has", async () => {
  const lines = [
    ...allReasons.flatMap((reason) => [
      `${reason.code} api: ${describeReason(reason)}`,
      `${reason.code} page: ${describeReason(reason, strict)}`,
    ]),
    ...allProblems.flatMap((problem) =>
      Object.values(describeProblem(problem)).flatMap((text: string | null) => (text === null ? [] : `${problem.kind}: ${text}`)),
    ),
    ...schedules.map((schedule) => `schedule: ${describeSchedule(schedule, strict)}`),
  ];
  await expect([...new Set(lines), ""].join("\n")).toMatchFileSnapshot("sentences.txt");
});
