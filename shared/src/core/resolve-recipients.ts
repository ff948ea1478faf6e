import { type JsonObject, type JsonValue, lookUp, textOf } from "./json.ts";
import { isE164, personOf, type PhoneProblem, type ReadPhone } from "./phone.ts";
import type { Reason, Unreached } from "./reason.ts";
import type { RecipientStrategy } from "./recipient.ts";

/** The parts of an event and its site that decide who gets the messages. */
export interface RecipientInput {
  payload: JsonObject;
  /** See `isTestEvent`: every binding then goes to the site's test phone only. */
  test: boolean;
  site: {
    testPhone: string | null;
    activePhones: string[];
    /** ISO 3166-1 alpha-2, for phones without a country code; null when the operator named none. */
    country?: string | null;
    /** Whether phones of the event are made E.164. */
    normalizePhones?: boolean;
  };
  /** Reads phones that are not E.164; without it their faults are not told. */
  readPhone?: ReadPhone;
  /** The country of an E.164 phone; without it none is known. */
  countryOf?: (phone: string) => string | null;
}

/** What an event gave as a phone, in text, and the reason why it is none. */
export interface UnreadPhone {
  value: string;
  reason: PhoneProblem;
}

/** The recipients of a binding's message. */
interface Recipients {
  /** The phones in E.164, one of each person. */
  phones: string[];
  /** The phones that are not E.164, as they were given. */
  dropped: string[];
  phoneProblems: UnreadPhone[];
  /** The reason why there are no phones, else null. */
  reason: Reason | null;
}

/** The recipients of one binding; never throws. A test event goes to the site's test phone whatever the strategy. */
export function resolveRecipients(strategy: RecipientStrategy, input: RecipientInput): Recipients {
  const { candidates, none, phoneProblems = [] } = candidatesOf(input.test ? { strategy: "test" } : strategy, input);
  const phones = onePerPerson(candidates.filter(isE164));
  const dropped = candidates.filter((candidate) => !isE164(candidate));
  if (phones.length > 0) return { phones, dropped, phoneProblems, reason: null };
  const reason = candidates.length === 0 ? none : ({ code: "phones_not_e164", count: candidates.length } as const);
  return { phones, dropped, phoneProblems, reason };
}

function onePerPerson(phones: string[]): string[] {
  const people = new Set<string>();
  return phones.length < 2 ? phones : phones.filter((phone) => people.size < people.add(personOf(phone)).size);
}

/** The reason why a binding has no recipients; of several unreadable phones, the last one counts. */
export function whyNobody(strategy: RecipientStrategy, input: RecipientInput): Unreached | null {
  const { nobody, none } = candidatesOf(strategy, input);
  return nobody ?? none;
}

interface Candidates {
  /** The phones in E.164, or as they were given. */
  candidates: string[];
  phoneProblems?: UnreadPhone[];
  /** The reason when there is no candidate. */
  none: Unreached | null;
  /** The same reason for the fields that were looked at, if there is no phone. */
  nobody?: Unreached;
}

const strictPaths = ["customer.phone_e164"] as const;
const customerPaths = ["customer.phone_e164", "customer.phone"] as const;
/** No phone is longer, whatever stands around its digits. */
const longestPhone = 250;

function candidatesOf(strategy: RecipientStrategy, input: RecipientInput): Candidates {
  const { site } = input;
  switch (strategy.strategy) {
    case "customer":
      return phoneAt(site.normalizePhones === true ? customerPaths : strictPaths, input);
    case "field_path":
      return phoneAt([strategy.path], input);
    case "site_recipients":
      return { candidates: site.activePhones, none: { code: "no_active_recipient" } };
    case "static_phone":
      return { candidates: [strategy.phone], none: null };
    case "test":
      return { candidates: site.testPhone === null ? [] : [site.testPhone], none: { code: "no_test_phone" } };
  }
}

/** The phone at the first path that has one; faults at the paths before it are kept. */
function phoneAt(paths: readonly [string, ...string[]], input: RecipientInput): Candidates {
  const candidates: string[] = [];
  const phoneProblems: UnreadPhone[] = [];
  let nobody: Unreached = { code: "no_phone_at_path", path: paths.at(-1) ?? paths[0] };
  for (const path of paths) {
    const given = lookUp(input.payload, path);
    // A number that is too large to be one, such as 1e400, has no text.
    const value = textOf(given, longestPhone) ?? (typeof given === "number" ? String(given) : undefined);
    if (value === undefined || candidates.includes(value)) continue;
    const read = readPhone(given, value, input);
    candidates.push(read.phone ?? value);
    if (read.phone !== undefined) break;
    nobody = { code: "phone_unreadable", path, problem: read.problem ?? "not_valid" };
    if (read.problem !== undefined) phoneProblems.push({ value, reason: read.problem });
  }
  return { candidates, phoneProblems, none: { code: "no_phone_at_path", path: paths[0] }, nobody };
}

/** Reads a phone: a text, or a number by its digits. A site that takes only E.164 refuses one that could be read otherwise. */
function readPhone(given: JsonValue | undefined, value: string, input: RecipientInput): { phone?: string; problem?: PhoneProblem } {
  const { payload, site, readPhone: read } = input;
  if (isE164(value) && (site.normalizePhones !== true || read === undefined)) return { phone: value };
  if (read === undefined) return {};
  if (typeof given !== "string" && !/^\d+$/.test(value)) return { problem: "not_a_number" };
  const country = lookUp(payload, "customer.country");
  const found = read(value, { country: typeof country === "string" ? country : null, siteCountry: site.country });
  if (site.normalizePhones === true || "problem" in found) return found;
  return { problem: /^\D*(\+|00)/.test(value) ? "not_valid" : "no_country" };
}
