import { roles, type Role } from "shared/core/role";
import type { LivedWorld } from "../world.ts";
import { isList, membersOf, pathsOf } from "./inputs.ts";
import { day, fill, type Samples, samplesOf } from "./samples.ts";
import { together } from "./together.ts";

/** The members that each answer's page goes by, not a filter. */
const paging = ["cursor", "limit", "direction"];

/** The sample that a query's id, or another member of several meanings, takes its value from. */
const meanings: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "bindings.get": { id: "bindingId" },
  "bindings.versions": { id: "bindingId" },
  "bindings.backfillPreview": { id: "bindingId" },
  "events.get": { id: "eventId" },
  "events.replayPreview": { id: "eventId" },
  "notifications.get": { id: "notificationId" },
  "sandbox.messages": { to: "phone" },
  "sites.get": { id: "siteId" },
  "templates.get": { id: "templateId" },
  "templates.versions": { id: "templateId" },
  "webhookDeliveries.get": { id: "deliveryId" },
};

const payload = { customer: { first_name: "Ada", phone_e164: "+491520000077" }, order: { id: "77", number: "77", total: "20.50" } };
const binding = { siteId: "<siteId>", templateId: "<templateId>", event: "order.created", recipient: { strategy: "customer" } };
const body = "Hello {{1}}, your order {{2}} is ready to be picked up today.";
const draft = { name: "walk", language: "en_US", category: "UTILITY", body, examples: { body: ["Ada", "77"] } };
const span = { from: day(-30), to: day(-1) };
const ofSite = { ...span, siteId: "<siteId>" };

/** Inputs of queries that take some members only together. What stands in angle brackets is a sample. */
const written: Readonly<Record<string, readonly object[]>> = {
  "bindings.preview": [{ ...binding, variableMap: {}, payload }],
  "templates.check": [draft],
  "stats.messages": [span, ofSite],
  "stats.pricing": [span, ofSite],
  "setup.export": [{}, { siteId: "<siteId>" }],
  "webhooks.tail": [{ siteId: "<siteId>" }],
  "stats.overview": [span, ofSite, { days: 7 }, { days: 30, siteId: "<siteId>" }, { days: 400 }],
  "orders.timeline": [{ id: "<orderId>" }, { siteId: "<siteId>", reference: "<reference>" }],
  "notifications.resendCount": [span, ofSite, { ...span, errorCodes: ["131026"] }, { eventId: "<eventId>" }, { eventIds: ["<eventId>"] }],
};

/** Queries that need something that only a mutation makes; the walk of mutations calls them. */
export const calledWithMutations: readonly string[] = [
  "assistant.preview",
  "assistant.follow",
  "bindings.backfills",
  "events.requested",
  "notifications.resendJob",
  "operations.get",
  "people.erasure",
  "setup.plan",
];

/** A query with its input, and who asks it. */
export interface Call {
  path: string;
  input: object;
  role: Role;
  /** The most pages of a list that are read. */
  pages: number;
}

/** What a walk saw. */
export interface Walked {
  calls: number;
  /** A line for each answer that nobody should get. */
  faults: string[];
}

/**
 * Calls every query of an account as its owner, as far as people scroll. If it is thorough, the others do so too, and the owner asks with each filter alone and
 * reads lists to their end, as the oracle does.
 */
export async function walkQueries(world: LivedWorld, accountId: string, isThorough: boolean): Promise<Walked> {
  const walked: Walked = { calls: 0, faults: [] };
  const calls = callsOf(await samplesOf(world, accountId), isThorough);
  await together(calls, async ({ path, input, role, pages }) => {
    const seen = new Set<string>();
    let cursor: unknown = null;
    for (let page = 0; page < pages && (page === 0 || cursor !== null); page += 1) {
      const asked = isList(path) ? { ...input, limit: 200, cursor } : input;
      const { status, code, text } = await world.tryCall(path, asked, { accountId, role });
      const say = (what: string) => walked.faults.push(`${path} ${JSON.stringify(asked)} as ${role}: ${what}`);
      walked.calls += 1;
      if (code !== "ok") {
        if (code !== "FORBIDDEN" || role === "owner") say(`${status} ${text.slice(0, 200)}`);
        return;
      }
      if (!isList(path)) return;
      const { items, nextCursor } = (JSON.parse(text) as { result: { data: List } }).result.data;
      for (const key of items.map(({ id, ...others }) => id ?? JSON.stringify(others))) {
        if (seen.has(key)) say(`${key} comes twice`);
        seen.add(key);
      }
      cursor = nextCursor;
    }
  });
  return walked;
}

/** The queries of an account as its owner asks them: without a filter, and with each. */
export const ownCalls = async (world: LivedWorld, accountId: string): Promise<Call[]> =>
  callsOf(await samplesOf(world, accountId), true).filter(({ role }) => role === "owner");

interface List {
  items: { id?: string }[];
  nextCursor: unknown;
}

/** The pages of a list that people read. */
const scrolled = 3;

function callsOf(samples: Samples, isThorough: boolean): Call[] {
  return pathsOf("query", "subscription")
    .filter((path) => !calledWithMutations.includes(path))
    .flatMap((path) => {
      const [plain = {}, ...filtered] = written[path]?.map((input) => fill(input, samples)) ?? filtersOf(path, samples);
      return [
        ...(isThorough ? roles : (["owner"] as const)).map((role) => ({
          path,
          input: plain,
          role,
          pages: isThorough && role === "owner" ? Infinity : scrolled,
        })),
        ...(isThorough ? filtered : []).map((input) => ({ path, input, role: "owner" as const, pages: scrolled })),
      ];
    });
}

/** The input without a filter, then with one value after the other of each. */
function filtersOf(path: string, samples: Samples): object[] {
  const members = membersOf(path);
  if (members === null) throw new Error(`${path} takes several forms of input: write them`);
  const valuesOf = ({ name, all }: (typeof members)[number]): readonly unknown[] => {
    const values = all ?? samples[meanings[path]?.[name] ?? name] ?? [];
    if (values.length === 0 || values[0] == null) throw new Error(`there is no value for ${name} of ${path}: add a sample`);
    return values;
  };
  const filters = members.filter(({ name }) => !paging.includes(name));
  const base = Object.fromEntries(filters.filter(({ isRequired }) => isRequired).map((member) => [member.name, valuesOf(member)[0]]));
  return [base, ...filters.flatMap((member) => valuesOf(member).map((value) => ({ ...base, [member.name]: value })))];
}
