import { expect, test } from "vitest";
import { conditionOps, takesNone } from "./conditions.ts";
import type { PhoneProblem } from "./phone.ts";
import type { ProblemDetails, ProblemKind, TellableProblem } from "./problem/problem.ts";
import { describeProblem } from "./problem/words.ts";
import { describeReason, type PlanFailure, type Reason, type SlotReference, type Stopped } from "./reason.ts";
import { describeSchedule } from "./schedule/describe.ts";
import type { Schedule } from "./schedule/schedule.ts";
import { sourceTypes } from "./site.ts";
import { readFailure } from "./stored-failure.ts";
import { english, type Write } from "./wording.ts";

// Every sentence that is made of data, in English: the texts for callers of the API stay the same to the letter.

type Members<T, Key extends string> = T extends unknown ? Omit<T, Key> : never;
type ReasonSamples = {
  [Code in Reason["code"]]: [Members<Extract<Reason, { code: Code }>, "code">, ...Members<Extract<Reason, { code: Code }>, "code">[]];
};

const header: SlotReference = { group: "header", name: "1" };
const body: SlotReference = { group: "body", name: "first_name" };
const link: SlotReference = { group: "button_url", name: "1" };
const slots = [header, body, link];
const groups = ["header", "body", "button_url"] as const;
const phoneProblems: PhoneProblem[] = ["no_country", "too_short", "too_long", "not_a_number", "not_valid"];
const statuses = ["draft", "pending", "rejected", "paused", "disabled"] as const;
const at = { site: "Shop A" };
const bound = { ...at, event: "a.b", template: "t" };
const template = { template: "order_confirmation", language: "en_US" };
const perSlot = <T>(make: (slot: SlotReference) => T): [T, ...T[]] => slots.map(make) as [T, ...T[]];
const nothing: [object] = [{}];
const limit: [{ limit: number }] = [{ limit: 60 }];

const reasons: ReasonSamples = {
  no_phone_at_path: [{ path: "customer.phone" }],
  no_active_recipient: nothing,
  no_test_phone: nothing,
  phones_not_e164: [{ count: 1 }, { count: 2 }],
  phone_unreadable: phoneProblems.map((problem) => ({ path: "a.b", problem })) as [{ path: string; problem: PhoneProblem }],
  phone_dropped: [{ phone: "030 1" }, ...phoneProblems.map((problem) => ({ phone: "030 1", problem }))],
  country_excluded: [{ count: 2, countries: ["CA", "US"] }],
  conditions_unmet: [
    { match: "any", rules: conditionOps.map((op) => ({ path: "a.b", op, values: takesNone(op) ? [] : ["1"], saw: "2" })), more: 2 },
    { match: "all", rules: [{ path: "a", op: "in", values: ["x", "y"], saw: null }], more: 0 },
    { match: "all", rules: [{ path: "a", op: "exists", values: [], saw: null }], more: 0 },
  ],
  due_past: [{ path: "at", saw: "2020-01-01" }],
  due_unreadable: [
    { path: "at", saw: null },
    { path: "at", saw: "soon" },
  ],
  value_not_mapped: perSlot((slot) => ({ slot })),
  value_missing: [...perSlot((slot) => ({ slot, from: "order.id" })), { slot: body, from: null }],
  value_blank: [...perSlot((slot) => ({ slot, from: "order.id" })), { slot: body, from: null }],
  slot_not_mapped: perSlot((slot) => ({ slot })),
  slot_unresolved: [
    {
      slots: [
        { code: "value_not_mapped", slot: header },
        { code: "value_missing", slot: body, from: "a.b" },
      ],
      more: 2,
    },
    { slots: [{ code: "value_blank", slot: link, from: null }], more: 0 },
  ],
  template_not_approved: statuses.flatMap((status) => [{ status }, { status, of: template }]) as unknown as [{ status: "draft" }],
  template_not_sendable: [
    ...(["header_type", "header_without_file", "header_file_not_uploaded", "button", "component", "link"] as const).map((part) => ({
      part,
      name: "VIDEO",
    })),
    ...["CAROUSEL", "LIMITED_TIME_OFFER", "CALL_PERMISSION_REQUEST"].map((name) => ({ part: "component" as const, name })),
  ] as [{ part: "button"; name: string }],
  template_changed: [
    { changes: groups.map((group) => ({ code: "slots_differ", group, before: ["1", "2"], now: [] })), more: 0 },
    { changes: [{ code: "slot_gone", group: "body", slot: 3, count: 2 }], more: 4, of: template },
    { changes: [{ code: "slot_moved", slot: { group: "body", name: "1" }, before: "hi", now: "order" }], more: 0 },
  ],
  too_long: [
    { group: "header", button: null, length: 61, limit: 60 },
    { group: "body", button: null, length: 1100, limit: 1024 },
    { group: "button_url", button: 2, length: 2001, limit: 2000 },
  ],
  equal_binding: [{ bindingId: "b1" }],
  url_not_fitting: [
    { slot: link, fixed: "https://shop.example/" },
    { slot: link, fixed: "https://shop.example/", leaves: true },
  ],
  too_many_recipients: [{ limit: 200 }],
  recipient_opted_out: nothing,
  restarted: [{ event: "order.created" }],
  cancelled_by_event: [{ event: "order.refunded" }],
  shop_unreachable: [{ cause: "ECONNREFUSED" }],
  shop_timeout: [{ seconds: 30 }],
  shop_address_private: nothing,
  shop_not_encrypted: nothing,
  shop_redirects: nothing,
  shop_refuses_key: [{ status: 401 }],
  shop_without_orders: nothing,
  shop_failed: [{ status: 500 }],
  shop_answer_too_large: [{ megabytes: 10 }],
  shop_answer_unreadable: nothing,
  shop_has_too_many: [{ orders: 1000 }],
  shop_too_slow: nothing,
  shop_address_changed: nothing,
  shop_key_unreadable: nothing,
  slots_differ: groups.flatMap((group) => [
    { group, before: ["1", "2"], now: ["1"] },
    { group, before: [], now: ["first_name"] },
  ]) as unknown as ReasonSamples["slots_differ"],
  slot_moved: [{ slot: { group: "body", name: "1" }, before: "hi", now: "" }],
  slot_gone: groups.flatMap((group) => [0, 1, 2].map((count) => ({ group, slot: 3, count }))) as unknown as ReasonSamples["slot_gone"],
  punctuation_behind_variable: nothing,
  buttons_folded: nothing,
  buttons_not_on_desktop: nothing,
  ttl_of_marketing: nothing,
  empty: nothing,
  one_line: nothing,
  one_line_without_variables: nothing,
  no_emoji: nothing,
  no_markup: nothing,
  no_variables: nothing,
  one_variable: nothing,
  too_many_characters: limit,
  too_many_emoji: limit,
  too_many_line_breaks: nothing,
  too_many_variables: [{ variables: 3, words: 4 }],
  variable_at_edge: nothing,
  variable_malformed: nothing,
  variables_with_gaps: nothing,
  variables_adjacent: nothing,
  name_characters: nothing,
  name_reserved: nothing,
  language_unknown: [{ instead: null }, { instead: "pt_BR" }],
  category_unknown: [{ categories: ["MARKETING", "UTILITY"] }, { categories: ["A", "B", "C"] }],
  category_fixed_text: nothing,
  only_for_codes: nothing,
  ttl_out_of_range: [
    { least: 30, most: 900, endless: true },
    { least: 43200, most: 2592000, endless: false },
  ],
  category_of_other_language: [{ category: "UTILITY", template: "t", language: "de" }],
  too_many_buttons: limit,
  too_many_url_buttons: limit,
  too_many_phone_buttons: nothing,
  replies_apart: nothing,
  no_phone_number: limit,
  no_http_address: limit,
  address_variable: nothing,
  address_variable_in_host: nothing,
  address_of_whatsapp: nothing,
  file_missing: nothing,
  file_not_chosen: nothing,
  file_given_twice: nothing,
  examples_missing: [{ count: 2 }],
  examples_unneeded: nothing,
  variables_close: nothing,
  few_words: [{ variables: 3, words: 4 }],
  spaces_in_row: nothing,
  example_repeated: nothing,
  example_long: limit,
  address_shortened: [{ host: "bit.ly" }],
  address_unencrypted: nothing,
  no_country_code: nothing,
  label_repeated: nothing,
  words_promotional: [{ words: ["free", "sale"] }],
  one_time_code: nothing,
  language_unlike: [{ seems: "de" }],
};

const problems: { [Kind in ProblemKind]: ProblemDetails[Kind][] } = {
  platform_missing: [{}],
  platform_stopped: [
    { code: "190", reason: "The token has expired" },
    { code: "190", reason: "" },
    { code: "DISABLE", reason: "", until: "2026-12-03T00:00:00.000Z" },
  ],
  platform_failing: [{ unanswered: 7, total: 30 }],
  platform_notice: [{ words: "ACCOUNT_VIOLATION, violation_type ADULT", until: null }],
  template_category: [
    { name: "t", language: "en_US", former: "UTILITY", category: "MARKETING", at: null, done: false },
    { name: "t", language: "en_US", former: "UTILITY", category: "MARKETING", at: "2026-12-03T00:00:00.000Z", done: false },
    { name: "t", language: "en_US", former: "UTILITY", category: "MARKETING", at: "2026-12-03T00:00:00.000Z", done: true },
  ],
  secret_unreadable: [
    { of: "site", name: "Shop A" },
    { of: "platform", name: null },
    { of: "dataKey", name: null },
  ],
  site_disabled: [at],
  requests_refused: [
    {
      name: "Shop A",
      count: 9,
      more: false,
      because: "invalid_signature",
      explanation: { text: "It is not signed.", action: "Sign it." },
      lastAt: "2026-01-01T00:00:00.000Z",
    },
  ],
  template_refused: (["approved", ...statuses] as const).flatMap((status) => [
    { name: "t", language: "en_US", status, reason: null },
    { name: "t", language: "en_US", status, reason: "Too promotional" },
  ]),
  binding_cannot_send: [
    { ...bound, problems: [{ code: "slot_not_mapped", slot: body }], empty: [], failed: null, changedAt: "" },
    { ...bound, problems: [], empty: [{ code: "value_missing", slot: body, from: "a.b" }], failed: null, changedAt: "" },
    { ...bound, problems: [], empty: [], failed: { text: "It is too long.", action: "Shorten it." }, changedAt: "" },
  ],
  messages_failed: [{ ...at, title: "Undeliverable", explanation: { text: "It failed.", action: "Resend it." } }],
  nobody_reached: [at],
  field_changed: [null, "number"].map((now) => ({ ...at, event: "a.b", path: "order.id", bindingId: "b", was: "string", now })),
  phones_dropped: phoneProblems.map((problem) => ({ ...at, template: "t", problem })),
  callbacks_missing: [{}],
  failure_rate: [
    { percent: 12, usualPercent: 3, failed: 12, total: 100 },
    { percent: 12, usualPercent: 3, failed: 12, total: 100, more: true },
    { percent: 60, usualPercent: null, failed: 12, total: 20, more: false },
  ],
  number_limit: [
    { reached: 200, limit: 250 },
    { reached: 250, limit: 250 },
  ],
  backlog: [{ minutes: 12 }, { minutes: 1620 }],
  site_held: [at],
  site_silent: sourceTypes.map((sourceType) => ({ name: "Shop A", lastEventAt: "2026-01-01T00:00:00.000Z", sourceType })),
  shop_fault: [
    { site: "Shop A", sourceType: "woocommerce", fault: { code: "legacy_api", lastSeenAt: "2026-01-01T00:00:00.000Z" } },
    { site: "Shop A", sourceType: "woocommerce", fault: { code: "topic_missing", event: "order.shipped", topic: "order.updated" } },
    { site: "Shop A", sourceType: "shopify", fault: { code: "topic_missing", event: "order.shipped", topic: "fulfillments/create" } },
  ],
  endpoint_disabled: [
    { host: "e.example", site: "Shop A", siteId: "s1", because: "gone" },
    { host: "e.example", site: "Shop A", siteId: "s1", because: "failing" },
  ],
  endpoint_failing: [{ ...at, host: "e.example" }],
  site_without_bindings: [at],
  test_without_phone: [at],
  binding_doubled: [bound],
  event_misspelt: [{ ...bound, comes: "a.bs" }],
  binding_never_fired: [
    { ...bound, rule: null, changedAt: "" },
    { ...bound, rule: { path: "x", op: "gte" }, changedAt: "" },
  ],
};

/** The subjects of a kind whose words tell it. */
const subjects: Partial<Record<ProblemKind, string[]>> = {
  messages_failed: ["131026"],
  nobody_reached: ["no_phone_at_path a.b", "no_active_recipient", "no_test_phone", ...phoneProblems.map((problem) => `${problem} a.b`)],
};

const window: NonNullable<Schedule["window"]> = { days: [1, 2, 3, 4, 5, 6], from: "09:00", to: "20:00" };
const schedules: (Schedule | null)[] = [
  null,
  { delaySeconds: 1 },
  { delaySeconds: 3600, window },
  { delaySeconds: 86_400, window: { ...window, days: [1, 2, 3, 4, 5, 6, 7], timezone: "Europe/Berlin" } },
  { window: { ...window, days: [1, 3, 4, 6] } },
  { delaySeconds: 174_661, cancelOn: { events: ["a.b"], by: "cart.id" }, restartBy: "cart.id" },
  { delaySeconds: 120, cancelOn: { events: ["a", "b", "c"], by: "cart.id" }, throttle: { max: 1, seconds: 86_400 }, expiresSeconds: 7200 },
  { dueAt: { path: "at", offsetSeconds: 0, ifPast: "send" }, throttle: { max: 3, seconds: 604_800 } },
  { dueAt: { path: "at", offsetSeconds: -86_400, ifPast: "skip" } },
  { dueAt: { path: "at", offsetSeconds: 60, ifPast: "skip" } },
];

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
  const failures = allReasons.filter(({ code }) => failureCodes.has(code)) as (PlanFailure | Stopped)[];
  expect(new Set(failures.map(({ code }) => code))).toEqual(failureCodes);
  for (const failure of failures) expect(readFailure(failure.code, describeReason(failure))).toEqual(failure);
  expect(readFailure("131009", "Parameter value is not valid")).toBeNull();
  for (const code of failureCodes)
    for (const text of ["", "; ", "body had {{1}} and now has", "The template x (y) is gone; no", null])
      expect(readFailure(code, text)).toBeNull();
});

const failureCodes: ReadonlySet<string> = new Set<(PlanFailure | Stopped)["code"]>([
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
