import { expect, test } from "vitest";
import { chooseTemplates, nextStep } from "./progress.ts";
import { readFirstDaySearch } from "./steps.ts";

type Template = Parameters<typeof chooseTemplates>[0][number];

const template = (name: string, status: Template["status"], language = "en_US") => ({ name, status, language }) as Template;

test("the platform's own sample is no template of anybody's", () => {
  const sample = template("hello_world", "approved");
  const own = template("welcome", "approved");
  expect(chooseTemplates([], [sample]).approved).toBeUndefined();
  expect(chooseTemplates([], [sample, own]).approved).toBe(own);
});

test("the example is known by its name and language, and comes first once it is approved", () => {
  const own = template("welcome", "approved");
  const [pending, approved] = [template("order_confirmation", "pending"), template("order_confirmation", "approved")];
  expect(chooseTemplates([template("order_confirmation", "approved", "de"), template("old_order_confirmation", "approved")], [])).toEqual({
    example: undefined,
    approved: undefined,
  });
  expect(chooseTemplates([pending], [own])).toEqual({ example: pending, approved: own });
  expect(chooseTemplates([approved], [own])).toEqual({ example: approved, approved });
});

test("the next step is the first that is not done", () => {
  const done = { platform: true, site: false, template: true, binding: false, event: false };
  expect(nextStep(done)).toBe("site");
  expect(nextStep({ ...done, site: true, binding: true, event: true })).toBeUndefined();
});

test.each([
  ["site", "site"],
  ["nowhere", undefined],
  [undefined, undefined],
])("the step %j of the address is %j", (step, read) => {
  expect(readFirstDaySearch({ step })).toEqual({ step: read });
});
