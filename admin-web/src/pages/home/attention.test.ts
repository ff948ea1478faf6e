import { expect, test } from "vitest";
import { toConcerns } from "./attention.tsx";

const template = { id: "t1", name: "order_created", language: "en", status: "rejected" as const, reason: "Too promotional." };
const binding = {
  id: "b1",
  event: "order.created",
  templateId: "t2",
  template: "order_paid",
  enabled: true,
  problemCodes: [{ code: "template_not_approved" as const, status: "paused" as const }],
};

test("people come first, then sites, and each concern names its subject and what to do", () => {
  const site = {
    siteId: "s1",
    name: "Shop",
    sourceType: "generic" as const,
    lastEventAt: "2026-11-20T08:00:00.000Z",
    longestPauseHours: 3,
  };
  const people = [{ kind: "failed_sign_ins" as const, userId: "u1", email: "ann@example.com", count: 12, at: site.lastEventAt }];
  expect(toConcerns({ people, sites: [site], templates: [template], bindings: [binding] })).toEqual([
    { kind: "person", id: "failed_sign_ins u1", title: "12 failed sign-ins for ann@example.com", text: expect.stringContaining("audit") },
    { kind: "site", id: "s1", title: "No events from Shop", site },
    {
      kind: "template",
      id: "t1",
      title: "Template order_created (en) is rejected",
      text: "Too promotional. Change it and submit it again.",
    },
    { kind: "binding", id: "b1", title: "order.created cannot send order_paid", text: "The platform has paused the template." },
  ]);
});

test("events without a recipient are told by site, with their number", () => {
  const reason = { siteId: "s1", siteName: "Shop", key: "no_test_phone", reason: "", reasonCode: { code: "no_test_phone" as const } };
  const one = { ...reason, count: 1, more: false, lastEventAt: "2026-11-20T08:00:00.000Z" };
  const titleOf = (reasons: (typeof one)[]) =>
    toConcerns({ sites: [], unreached: [{ siteId: "s1", name: "Shop", from: "2026-11-14", reasons }], templates: [], bindings: [] })[0]
      ?.title;
  expect(titleOf([one])).toBe("1 event of Shop without a recipient");
  expect(
    titleOf([
      { ...one, count: 900, more: true },
      { ...one, count: 100, more: true },
    ]),
  ).toBe("1,000 or more events of Shop without a recipient");
});

test("a rejection code of the platform is explained", () => {
  const [concern] = toConcerns({ sites: [], templates: [{ ...template, reason: "INCORRECT_CATEGORY" }], bindings: [] });
  expect(concern).toMatchObject({
    text: "The text does not fit the category: choose the other one, or change the text. Then submit it again.",
  });
});

test("a secret that cannot be read names its site, or the platform, and what to do", () => {
  const unreadable = [
    { kind: "dataKey" as const, siteId: null, name: null },
    { kind: "platform" as const, siteId: null, name: null },
    { kind: "site" as const, siteId: "s1", name: "Shop" },
  ];
  expect(toConcerns({ unreadable, sites: [], templates: [], bindings: [] })).toEqual([
    { kind: "dataKey", id: "dataKey", title: expect.stringContaining("encrypted"), text: expect.stringContaining("Restore") },
    { kind: "platform", id: "platform", title: expect.stringContaining("credentials"), text: expect.stringContaining("Enter") },
    { kind: "secret", id: "s1", title: "A secret of Shop cannot be read", text: expect.stringContaining("Rotate") },
  ]);
});

test.each([
  ["switched off", { enabled: false }],
  ["without a problem", { problemCodes: [] }],
  ["of a template that is named already", { templateId: "t1" }],
])("a binding %s is no concern of its own", (_what, changes) => {
  const concerns = toConcerns({ sites: [], templates: [template], bindings: [{ ...binding, ...changes }] });
  expect(concerns.map(({ kind }) => kind)).toEqual(["template"]);
});

test("an endpoint that was switched off, or fails for a while, names its site's page and what to do", () => {
  const endpoint = { id: "w1", siteId: "s1", url: "https://shop.example/hooks", disabledBecause: null, failingSince: null };
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const endpoints = [
    endpoint,
    { ...endpoint, id: "w2", failingSince: ago(9) },
    { ...endpoint, id: "w3", failingSince: ago(11) },
    { ...endpoint, id: "w4", failingSince: ago(11), disabledBecause: "gone" as const },
    { ...endpoint, id: "w5", disabledBecause: "failing" as const },
  ];
  const of = { kind: "endpoint", siteId: "s1" };
  expect(toConcerns({ sites: [], templates: [], bindings: [], endpoints })).toEqual([
    { ...of, id: "w3", title: "Endpoint https://shop.example/hooks fails", text: expect.stringContaining("After five days") },
    { ...of, id: "w4", title: "Endpoint https://shop.example/hooks is switched off", text: expect.stringContaining("410") },
    { ...of, id: "w5", title: "Endpoint https://shop.example/hooks is switched off", text: expect.stringContaining("five days") },
  ]);
});
