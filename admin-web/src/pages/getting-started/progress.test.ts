import { expect, test } from "vitest";
import { chooseSite, chooseTemplates, type Facts, isShop, nextStep, stepsDone } from "./progress.ts";
import { readGettingStartedSearch, stepsOf } from "./route.ts";

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

type Site = NonNullable<Facts["site"]>;
type Binding = NonNullable<Facts["binding"]>;

test("the site is one whose events are taken, rather one that has a binding", () => {
  const site = (id: string, enabled: boolean) => ({ id, enabled }) as Site;
  const binding = (siteId: string) => ({ id: `of ${siteId}`, siteId }) as Binding;
  const [disabled, newer, older] = [site("disabled", false), site("newer", true), site("older", true)];
  const all = [disabled, newer, older];
  expect(chooseSite([], [])).toEqual({ site: undefined, binding: undefined });
  expect(chooseSite(all, [])).toEqual({ site: newer, binding: undefined });
  expect(chooseSite(all, [binding("disabled"), binding("older")])).toEqual({ site: older, binding: binding("older") });
  expect(chooseSite(all, [binding("disabled")])).toEqual({ site: newer, binding: undefined });
  expect(chooseSite([disabled], [binding("disabled")])).toEqual({ site: disabled, binding: binding("disabled") });
  const facts = { settings: { platform: { configured: true } } } as Facts;
  expect([disabled, newer].map((each) => stepsDone({ ...facts, site: each }).site)).toEqual([false, true]);
});

test("the next step is the first that is not done", () => {
  const done = { platform: true, site: false, template: true, binding: false, event: false, connect: false, messages: true, order: true };
  expect(nextStep(done)).toBe("site");
  expect(nextStep({ ...done, site: true, binding: true, event: true })).toBeUndefined();
  expect(nextStep({ ...done, site: true }, stepsOf(true))).toBe("connect");
});

test("a shop is done when it has posted, a binding can send and a message has left", () => {
  const shop = (changes: object) => ({ enabled: true, sourceType: "shopify", connectedAt: null, ...changes }) as Site;
  const done = (changes: Partial<Facts>) => {
    const { connect, messages, order } = stepsDone({ settings: { platform: { configured: true } }, site: shop({}), ...changes } as Facts);
    return [connect, messages, order];
  };
  expect(done({ isSeen: false })).toEqual([false, false, false]);
  expect(done({ site: shop({ connectedAt: "2026-03-14T09:00:00Z" }), isSeen: true })).toEqual([true, false, true]);
  expect(done({ event: {} as Facts["event"], isSeen: false })).toEqual([true, false, false]);
  expect(done({ binding: { templateStatus: "pending" } as Binding, isSeen: false })).toEqual([false, false, false]);
  const [pending, approved] = ["pending", "approved"].map((templateStatus) => ({ siteId: "a", templateStatus }) as Binding);
  expect(chooseSite([{ ...shop({}), id: "a" }], [pending, approved] as Binding[]).binding).toBe(pending);
  const rejected = { siteId: "a", templateStatus: "rejected" } as Binding;
  expect(chooseSite([{ ...shop({}), id: "a" }], [rejected, approved] as Binding[]).binding).toBe(approved);
  expect([isShop(undefined), isShop(shop({})), isShop(shop({ sourceType: "generic" }))]).toEqual([false, true, false]);
});

test.each([
  ["site", "site"],
  ["nowhere", undefined],
  [undefined, undefined],
])("the step %j of the address is %j", (step, read) => {
  expect(readGettingStartedSearch({ step })).toEqual({ step: read });
});
