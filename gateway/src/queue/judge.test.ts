import fc from "fast-check";
import { dropStatuses } from "shared/core/message";
import type { TakenMessage } from "shared/db/waiting/take";
import { describe, expect, it } from "vitest";
import type { HandedResult } from "../sending/outcome.ts";
import type { SiteConfig } from "../sites/sites.ts";
import { afterTry, judge } from "./judge.ts";

const now = new Date("2026-11-22T12:00:00Z");
const hour = 3_600_000;
const site = { enabled: true, platform: {} } as SiteConfig;

const taken = (more: Partial<TakenMessage> = {}): TakenMessage => ({
  account_id: "account",
  phone_hash: "digest",
  site_id: "site",
  id: "message",
  take: "1",
  event_id: "event",
  binding_id: "binding",
  queued_at: now,
  expired: false,
  replaced: false,
  doubts: 0,
  reported: false,
  attempt: 1,
  template: "order_created",
  language: "en",
  to_phone: "+15551230001",
  components: "[]",
  template_status: "approved",
  marketing: false,
  throttle: null,
  config: "1",
  unbound: false,
  site_deleted: false,
  retry_hours: 24,
  full_seconds: null,
  ...more,
});

describe("a message that is due", () => {
  /** The outcome in words: the code of a failure or a cancellation, or another kind. */
  const verdict = (more: Partial<TakenMessage>, { at = site, heard = true }: { at?: SiteConfig | null; heard?: boolean } = {}): string => {
    const outcome = judge(taken(more), at, heard, now);
    if (outcome === null) return "sent";
    if (outcome.kind === "settled") return `failed ${outcome.result.error_code}`;
    return outcome.kind === "dropped" ? `${dropStatuses[outcome.code]} ${outcome.code}` : outcome.kind;
  };

  it.each<[string, Partial<TakenMessage>, Parameters<typeof verdict>[1]?]>([
    ["sent", {}],
    ["known", { reported: true, expired: true }],
    ["cancelled site_deleted", {}, { at: null }],
    ["cancelled site_deleted", { site_deleted: true, unbound: true }],
    ["cancelled binding_deleted", { unbound: true }],
    ["cancelled restarted", { replaced: true }],
    ["sent", { doubts: 1 }],
    ["failed interrupted", { doubts: 1 }, { heard: false }],
    ["failed interrupted", { doubts: 2 }],
    ["failed site_disabled", {}, { at: { ...site, enabled: false } }],
    ["failed expired", { expired: true }],
    ["later", { template_status: "paused" }],
    ["failed template_not_approved", { template_status: "paused", retry_hours: 0 }],
    ["failed template_not_approved", { template_status: "rejected" }],
    ["failed template_not_approved", { template_status: null }],
    ["later", {}, { at: { ...site, platform: null } }],
    ["later", { full_seconds: 600 }],
    ["sent", { full_seconds: 600, queued_at: new Date(now.getTime() - 24 * hour) }],
    ["failed interrupted", { queued_at: new Date(now.getTime() - 24 * hour) }, { at: { ...site, platform: null } }],
    ["failed interrupted", { retry_hours: 0 }, { at: { ...site, platform: null } }],
  ])("is %s: %j", (expected, more, circumstances) => {
    expect(verdict(more, circumstances)).toBe(expected);
  });
});

describe("a message that was tried", () => {
  const refusal = (code: string, errorClass: HandedResult["errorClass"] = "transient", local = false): HandedResult => ({
    site_id: "site",
    event_id: "event",
    id: "message",
    attempt: 1,
    status: "failed",
    local,
    wa_message_id: null,
    error_code: code,
    error_reason: null,
    error_detail: null,
    errorClass,
  });
  const after = (message: Partial<TakenMessage>, result: HandedResult) => afterTry(taken(message), result, { now, random: 0.5, scale: 1 });
  const later = (seconds: number, refused: string | null, again = true, pausesPhone = false, heldFor?: string) => ({
    kind: "later",
    seconds,
    refused,
    again,
    pausesPhone,
    ...(heldFor && { heldFor }),
  });

  it.each<[string, Partial<TakenMessage>, HandedResult, object | null]>([
    ["waits and waits longer", { attempt: 1 }, refusal("131000"), later(5, "131000")],
    ["waits and waits longer", { attempt: 3 }, refusal("131000"), later(120, "131000")],
    ["goes on every half day", { attempt: 8 }, refusal("131000"), later(43_200, "131000")],
    ["fails once the time is over", { queued_at: new Date(now.getTime() - 24 * hour) }, refusal("131000"), null],
    ["is never tried again where that is wished", { retry_hours: 0 }, refusal("131000"), null],
    ["fails for good", {}, refusal("131026", "recipient"), null],
    ["goes on as the same attempt when the number is too fast", { attempt: 4 }, refusal("130429"), later(1.5, null, false)],
    ["lets the phone rest", { attempt: 1 }, refusal("131056"), later(6, "131056", true, true)],
    ["lets the phone rest longer", { attempt: 3 }, refusal("131056"), later(64, "131056", true, true)],
    ["does not rest beyond its time", { attempt: 9 }, refusal("131056"), null],
    ["comes once more a day later", { retry_hours: 48 }, refusal("131049", "quality"), later(95_040, "131049")],
    ["comes once more when there is just time for it", { retry_hours: 25 }, refusal("131049", "quality"), later(90_000, "131049")],
    ["waits for room below the cap", {}, refusal("131064", "quality"), later(3_960, "131064", true, false, "131064")],
    ["waits for hours as possible spam", {}, refusal("131048", "quality"), later(15_840, "131048", true, false, "131048")],
    ["waits for the paused template", {}, refusal("132015", "quality"), later(11_880, "132015", true, false, "132015")],
    ["waits for the template to be ready", {}, refusal("134101"), later(660, "134101", true, false, "134101")],
    ["is given up when the wait is longer than its time", { retry_hours: 3 }, refusal("131048", "quality"), null],
    ["waits while the number is limited", {}, refusal("131048", null, true), later(5, null, false, true)],
    [
      "comes no second time a day later",
      { retry_hours: 48, queued_at: new Date(now.getTime() - 24 * hour) },
      refusal("131049", "quality"),
      null,
    ],
    ["does not come a day later within a day", {}, refusal("131049", "quality"), null],
    ["was not tried where no slot came", {}, refusal("deadline", null, true), later(0, null, false)],
    ["waits where the platform could not be reached", {}, refusal("deadline", "transient", true), later(5, "deadline")],
    ["waits for a new token, as the same attempt", { attempt: 2 }, refusal("190", "account"), later(5, "190", false, true)],
    ["waits as long as the account is stopped", { attempt: 2 }, refusal("account_stopped", null, true), later(5, null, false, true)],
    ["waits for no token after its time", { queued_at: new Date(now.getTime() - 24 * hour) }, refusal("account_stopped", null, true), null],
    ["is in doubt and not sent again", {}, refusal("in_doubt", null, true), null],
  ])("%s: %j", (_, message, result, expected) => {
    const settled = { kind: "settled", result: expect.objectContaining({ status: "failed", error_code: result.error_code }) as unknown };
    expect(after(message, result)).toEqual(expected ?? settled);
  });

  it("is never due again after its time, whatever the platform says and however often", () => {
    const codes = fc.constantFrom("131000", "130429", "131056", "131049", "4", "80007");
    const part = fc.integer({ min: 0, max: 1000 });
    fc.assert(
      fc.property(codes, fc.integer({ min: 1, max: 50 }), fc.integer({ min: 0, max: 72 }), part, (code, attempt, hours, used) => {
        const old = (hours * hour * used) / 1000;
        const outcome = after({ attempt, retry_hours: hours, queued_at: new Date(now.getTime() - old) }, refusal(code));
        return outcome.kind !== "later" || !outcome.again || old + outcome.seconds * 1000 <= hours * hour + 1;
      }),
      { numRuns: 1000 },
    );
  });
});
