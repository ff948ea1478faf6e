import fc from "fast-check";
import { expect, test } from "vitest";
import { describeFinding, type Finding, findingKey, type FindingPlace, rankFindings } from "./diagnosis.ts";
import { describeReason, type EmptySlot } from "./reason.ts";
import { readEmptySlots } from "./stored-failure.ts";

const site = fc.constantFrom(null, { id: "a", name: "A" }, { id: "b", name: "B" });
const place: fc.Arbitrary<FindingPlace> = fc.constantFrom<FindingPlace>(
  { kind: "platform" },
  { kind: "site", id: "a" },
  { kind: "log", filter: { siteId: "a", status: "failed", errorCode: "131026" } },
);
const measure = fc.record({
  site,
  place,
  count: fc.nat(3),
  more: fc.boolean(),
  share: fc.option(fc.constantFrom(0.001, 0.5, 1)),
  lastAt: fc.option(fc.constantFrom("2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z")),
});
const details = fc.constantFrom<{ code: Finding["code"] } & Record<string, unknown>>(
  { code: "platform_missing" },
  { code: "platform_stopped", errorCode: "190", title: "The token has expired" },
  { code: "secret_unreadable", of: "site" },
  { code: "site_disabled" },
  { code: "template_not_usable", template: "t", language: "en", status: "rejected", reason: "Too promotional." },
  { code: "slot_empty", template: "t", problem: { code: "value_missing", slot: { group: "body", name: "1" }, from: "a.b" } },
  { code: "slot_empty", template: "t", problem: { code: "value_not_mapped", slot: { group: "header", name: "1" } } },
  { code: "messages_failed", errorCode: "1", title: "T", explanation: { text: "It failed.", action: "Resend it." }, template: null },
  { code: "messages_failed", errorCode: "2", title: "T", explanation: { text: "It failed.", action: "Resend it." }, template: "t" },
  { code: "nobody_reached", reason: { code: "no_active_recipient" } },
  { code: "phones_dropped", template: "t", problem: "no_country" },
  { code: "site_without_bindings" },
  { code: "test_without_phone" },
  { code: "binding_held_back", event: "a.b", template: "t", rule: { path: "x", op: "gt" } },
  { code: "event_misspelt", event: "a.b", template: "t", comes: "a.bs" },
  { code: "callbacks_missing" },
  { code: "backlog_old", seconds: 900 },
  { code: "site_held" },
  { code: "site_silent", sourceType: "shopify", lastEventAt: "2026-01-01T00:00:00.000Z", longestPauseHours: 3 },
  {
    code: "shop_fault",
    sourceType: "woocommerce",
    fault: { code: "legacy_api", lastSeenAt: "2026-01-01T00:00:00.000Z" },
  },
  { code: "endpoint_off", url: "https://e.example", because: "gone" },
  { code: "endpoint_failing", url: "https://e.example", since: "2026-01-01T00:00:00.000Z" },
);
const finding = fc.tuple(details, measure).map(([what, how]) => ({ ...what, ...how }) as Finding);
const findings = fc.uniqueArray(finding, { selector: findingKey, maxLength: 30 });

test("the ranking is the same for any order of the same findings, and keeps each once", () => {
  fc.assert(
    fc.property(
      findings.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
      ([all, shuffled]) => {
        const ranked = rankFindings(all);
        expect(rankFindings(shuffled)).toEqual(ranked);
        expect(rankFindings([...all, ...all])).toEqual(ranked);
        expect(rankFindings(ranked)).toEqual(ranked);
        expect(ranked.map(findingKey).toSorted()).toEqual(all.map(findingKey).toSorted());
      },
    ),
  );
});

test("among those that lost messages more come before fewer, and behind what stops everything", () => {
  fc.assert(
    fc.property(findings, (all) => {
      const ranked = rankFindings(all);
      const stopping = ["platform_missing", "platform_stopped", "secret_unreadable"];
      const losses = ranked.filter(({ code }) =>
        ["messages_failed", "slot_empty", "nobody_reached", "phones_dropped", "template_not_usable"].includes(code),
      );
      const counts = losses.map(({ count }) => count);
      expect(counts).toEqual(counts.toSorted((a, b) => b - a));
      const isFirst = ranked.map(({ code }) => stopping.includes(code));
      expect(isFirst).toEqual(isFirst.toSorted((a, b) => Number(b) - Number(a)));
    }),
  );
});

test("each finding is told in whole sentences", () => {
  fc.assert(
    fc.property(finding, (one) => {
      const { text, action } = describeFinding(one);
      for (const sentence of [text, action]) expect(sentence).toMatch(/^[\dA-Z].{8,}\.$/su);
      expect(`${text} ${action}`).not.toMatch(/undefined|null|NaN|\[object/u);
    }),
  );
});

const slot = fc.record({ group: fc.constantFrom("header", "body", "button_url"), name: fc.stringMatching(/^[a-z0-9_]{1,8}$/) });
const from = fc.option(fc.stringMatching(/^[a-z]{1,6}(\.[a-z0-9]{1,6}){0,3}$/));
const emptySlot = fc.oneof(
  fc.record({ code: fc.constant("value_not_mapped" as const), slot }),
  fc.record({ code: fc.constantFrom("value_missing" as const, "value_blank" as const), slot, from }),
) as fc.Arbitrary<EmptySlot>;

test("the slots of a stored reason are read as they were written", () => {
  fc.assert(
    fc.property(fc.array(emptySlot, { minLength: 1, maxLength: 5 }), fc.nat(3), (slots, more) => {
      expect(readEmptySlots(describeReason({ code: "slot_unresolved", slots, more }))).toEqual(slots);
    }),
  );
  expect(readEmptySlots("(#131009) Something else; is missing")).toEqual([]);
});
