import { TRPCError } from "@trpc/server";
import { mapSlots } from "shared/core/binding";
import type { CompiledConditions } from "shared/core/conditions";
import { mostPast, type planBindingsInput } from "shared/core/input/bindings";
import { canonical, type JsonObject } from "shared/core/json";
import { knownIn, maskKnownWithin, maskReachWithin } from "shared/core/mask";
import type { BindingToPlan, PlannedMessage } from "shared/core/plan";
import { may, type Role } from "shared/core/role";
import { renderText } from "shared/core/template/message";
import { shapeOf } from "shared/core/template/shape";
import { grouped } from "shared/core/text";
import { uuidFloor, uuidTime } from "shared/core/uuid";
import { say } from "shared/core/wording";
import { type BindingRow, findBindings } from "shared/db/binding";
import { countPastEvents, readPastEvents } from "shared/db/event/stored";
import { newId } from "shared/db/ids";
import { findSite } from "shared/db/site";
import { type SiteForIngestRow, toBindingToPlan } from "shared/db/site-for-ingest";
import type { Sql } from "shared/db/statement";
import { type ReplayableEvent, readRowCodec, readToReplay } from "shared/sealing/account-rows";
import type { z } from "zod";
import type { RequestContext } from "../context.ts";
import type { Caller } from "../session/caller.ts";
import { invalidInput, notFound, refusedAt } from "../trpc/errors.ts";
import { shownPhone } from "../trpc/roles.ts";
import { equalTo, findTemplateFor, mostEnabled, type Place, readSchedule, refuseEqual, tooManyEnabled } from "./binding-changes.ts";
import { createPlanner, type Planner } from "./planner.ts";

type Input = z.output<typeof planBindingsInput>;
type Stored = SiteForIngestRow["bindings"][number];

/** A page's payloads may have a megabyte each. */
const atOnce = 50;
/** After so many characters of payloads other requests have their turn. */
const turnLength = 200_000;

type Kind = "same" | "changed" | "added" | "removed";

/**
 * Plans a site's stored events once with its bindings and once with the proposed ones, and compares the messages. Reads alone. Opt-outs count as of now;
 * what only earlier or later events decide is left out.
 */
export async function planPast(context: RequestContext, { accountId, role }: Caller, input: Input) {
  const { sql, vault, turns } = context;
  const { siteId, limit, only } = input;
  if ((await findSite(sql, accountId, siteId)) === undefined) throw notFound("site");
  const proposed = await readProposed(sql, accountId, input, may(role, "seePhones"));
  const planner = await createPlanner(
    context,
    accountId,
    siteId,
    proposed.map(({ template }) => template),
  );
  if (planner === null) throw notFound("site");
  const span = { from: uuidFloor(Math.max(0, input.from.getTime())), before: uuidFloor(Math.max(0, input.to.getTime())) };
  const events = await countPastEvents(sql, siteId, span);
  if (events > mostPast)
    throw invalidInput([
      {
        path: ["from"],
        said: say("{count, number} events came in that time, and at most {most, number} are planned: choose a shorter one", {
          count: events,
          most: mostPast,
        }),
      },
    ]);
  const sides = createSides(planner, proposed, input, role);
  const comparison = createComparison(limit, role, planner.site.timezone);
  const rows = await readRowCodec(sql, vault, accountId);
  const names = only ? sides.ownNames : sides.names;
  let [unread, seen] = [0, 0];
  for (let after: string | null = null, more = names.length > 0; more;) {
    await turns.pause();
    const page: Awaited<ReturnType<typeof readPastEvents>> = await readPastEvents(sql, siteId, names, span, after, atOnce);
    const planned: PlannedTwice[] = [];
    for (let [index, read] = [0, 0]; index < page.length; index += 1) {
      const event = readToReplay(rows, page[index]);
      if (typeof event === "string") continue;
      planned.push(sides.plan(event));
      read += event.text.length;
      if (read < turnLength) continue;
      read = 0;
      await turns.pause();
    }
    seen += page.length;
    unread += page.length - planned.length;
    const refused = await planner.optedOut({ messages: planned.flatMap(({ before, after: then }) => [...before, ...then]) });
    for (const each of planned) comparison.add(each, sides, (message) => refused.has(message) && !sides.isNamedUnseen(message));
    after = page.at(-1)?.id ?? null;
    more = page.length === atOnce;
  }
  return {
    events: only ? seen : events,
    /** Events whose payload is no longer kept, or cannot be read. */
    unread,
    ...comparison.result(),
    /** The members of bindings that this does not judge. */
    leftOut: ["throttle", "cancelOn", "restartBy"] as const,
  };
}

/** The proposed bindings as if they were stored. @throws TRPCError NOT_FOUND, BAD_REQUEST, CONFLICT, as their create would */
async function readProposed(sql: Sql, accountId: string, { siteId, bindings }: Input, seesPhones: boolean): Promise<Proposed[]> {
  const ids = bindings.flatMap(({ id }) => id ?? []);
  const own = (await findBindings(sql, accountId, ids)).filter(({ site_id }) => site_id === siteId);
  if (own.length < ids.length) throw notFound("binding");
  const proposed: Proposed[] = [];
  for (const [index, binding] of bindings.entries()) {
    if (binding.delete === true) continue;
    try {
      if (binding.siteId !== undefined && binding.siteId !== siteId)
        throw invalidInput([{ path: ["siteId"], said: say("Must be the site whose events are planned") }]);
      const template = await findTemplateFor(sql, accountId, binding);
      const { id = newId(), event, recipient, variableMap: variable_map, conditions = null, enabled = true } = binding;
      const { name, language, status, category, definition } = template;
      proposed.push({
        id,
        updated_at: "",
        event,
        recipient,
        variable_map,
        conditions,
        schedule: readSchedule(binding),
        template: { id: template.id, name, language, status, category, definition, boundShape: shapeOf(definition) },
        enabled,
      });
    } catch (error) {
      throw error instanceof TRPCError && error.code === "BAD_REQUEST" ? refusedAt(error, ["bindings", index], "binding") : error;
    }
  }
  // To one who sees no phones, a refusal would tell a stored one.
  if (seesPhones) await refuseTwins(sql, own, siteId, proposed);
  return proposed;
}

/** Those that are replaced or deleted leave room; one that stays as it is may have a twin that is there already. */
async function refuseTwins(sql: Sql, own: readonly BindingRow[], site_id: string, proposed: readonly Proposed[]) {
  const former = new Map(own.map((row) => [row.id, placeKey(row)]));
  const keys = new Map<string, string>();
  for (const one of proposed) {
    const place = { ...one, site_id, template_id: one.template.id };
    const key = placeKey(place);
    const twin = keys.get(key);
    if (twin !== undefined) throw equalTo(twin);
    keys.set(key, one.id);
    if (former.get(one.id) !== key) await refuseEqual(sql, place, [...former.keys()]);
  }
}

const placeKey = ({ event, template_id, recipient, conditions, schedule }: Omit<Place, "id" | "site_id">): string =>
  canonical({ event, template_id, recipient, conditions, schedule });

type Proposed = Stored & { enabled: boolean };

type Sides = ReturnType<typeof createSides>;
type PlannedTwice = ReturnType<Sides["plan"]>;

/**
 * The bindings of both sides by the name of their event; `names`: those for which there is any. `isNamedUnseen`: whether the caller, who sees no phones, has
 * named the message's phone: whether that person opted out is not told then.
 */
function createSides(planner: Planner, proposed: readonly Proposed[], { bindings, only }: Input, role: Role) {
  const { timezone, bindings: stored } = planner.site;
  const isCounted = ({ bindingId }: PlannedMessage): boolean =>
    !only || touched.has(bindingId) || proposed.some(({ id }) => id === bindingId);
  const touched = new Set(bindings.flatMap(({ id }) => id ?? []));
  const isUnseen = !may(role, "seePhones");
  const compile = (row: Stored): BindingToPlan => toBindingToPlan(row, timezone);
  const compileProposed = (row: Stored): BindingToPlan => {
    const binding = compile(row);
    return isUnseen && binding.conditions ? { ...binding, conditions: blind(binding.conditions) } : binding;
  };
  const before = byName(stored.map((row) => [row.event, compile(row)]));
  const after = byName([
    ...stored.filter(({ id }) => !touched.has(id)).map((row) => [row.event, compile(row)] as const),
    ...proposed.filter(({ enabled }) => enabled).map((row) => [row.event, compileProposed(row)] as const),
  ]);
  if ([...after.values()].some((ofEvent) => ofEvent.length > mostEnabled)) throw tooManyEnabled();
  const changed = new Set([...stored.filter(({ id }) => touched.has(id)), ...proposed].map(({ event }) => event));
  const named = new Set(isUnseen ? proposed.filter(({ recipient }) => "phone" in recipient).map(({ id }) => id) : []);
  return {
    names: [...new Set([...before.keys(), ...after.keys()])].toSorted(),
    ownNames: [...changed],
    isCounted,
    plan: (event: ReplayableEvent) => {
      const at = new Date(uuidTime(event.id));
      const first = planner.plan(event, before.get(event.name) ?? [], at).messages;
      return {
        event,
        before: first,
        after: changed.has(event.name) ? planner.plan(event, after.get(event.name) ?? [], at).messages : first,
      };
    },
    bindingOf: ({ bindingId }: PlannedMessage, side: "before" | "after", name: string) =>
      (side === "before" ? before : after).get(name)?.find(({ id }) => id === bindingId),
    isNamedUnseen: ({ bindingId }: PlannedMessage) => named.has(bindingId),
  };
}

/** In the order in which they fire. */
const byName = (bindings: readonly (readonly [string, BindingToPlan])[]) =>
  grouped(bindings.toSorted(([, a], [, b]) => (a.id < b.id ? -1 : 1)));

/** Conditions that see phones and addresses masked: their answers would tell a hidden one digit by digit. */
function blind(conditions: CompiledConditions): CompiledConditions {
  const { ofCountry } = conditions;
  const hide = (payload: JsonObject): JsonObject => maskReachWithin(payload) as JsonObject;
  return Object.assign(
    (payload: JsonObject) => conditions(hide(payload)),
    ofCountry && { ofCountry: (one: JsonObject) => ofCountry(hide(one)) },
  );
}

/** Matches the messages of both sides by event, binding and phone. */
function createComparison(limit: number, role: Role, timezone: string) {
  const messages: Record<Kind, number> = { same: 0, changed: 0, added: 0, removed: 0 };
  /** What would be handed over or scheduled; `dueAt` is null where that is at once. */
  const show = (message: PlannedMessage, binding: BindingToPlan | undefined, { payload, id }: ReplayableEvent) => {
    const now = new Date(uuidTime(id));
    const definition = binding?.template.definition;
    const text =
      binding && definition ? renderText(definition, mapSlots(binding.variableMap, definition, { payload, now, timezone }).sent) : "";
    return {
      phone: shownPhone(message.toPhone, role),
      template: message.template,
      text: may(role, "seePhones") ? text : (maskKnownWithin(text, knownIn(payload, [message.toPhone])) as string),
      dueAt: message.timing?.dueAt?.toISOString() ?? null,
    };
  };
  type Shown = ReturnType<typeof show> | null;
  const samples: { kind: Exclude<Kind, "same">; eventId: string; at: string; before: Shown; after: Shown }[] = [];
  return {
    add({ event, before, after }: PlannedTwice, sides: Sides, isRefused: (message: PlannedMessage) => boolean) {
      const leaving = (all: readonly PlannedMessage[]) =>
        new Map(
          all
            .filter((message) => message.failure === null && sides.isCounted(message) && !isRefused(message))
            .map((message) => [`${message.bindingId} ${message.toPhone}`, message]),
        );
      const [first, then] = [leaving(before), leaving(after)];
      for (const key of new Set([...first.keys(), ...then.keys()])) {
        const [was, is] = [first.get(key), then.get(key)];
        const kind = was === undefined ? "added" : is === undefined ? "removed" : isSame(was, is) ? "same" : "changed";
        messages[kind] += 1;
        if (kind === "same" || samples.length >= limit) continue;
        samples.push({
          kind,
          eventId: event.id,
          at: new Date(uuidTime(event.id)).toISOString(),
          before: was ? show(was, sides.bindingOf(was, "before", event.name), event) : null,
          after: is ? show(is, sides.bindingOf(is, "after", event.name), event) : null,
        });
      }
    },
    result: () => ({ messages, samples }),
  };
}

const isSame = (a: PlannedMessage, b: PlannedMessage): boolean =>
  a === b || (a.templateId === b.templateId && a.components === b.components && a.timing?.dueAt?.getTime() === b.timing?.dueAt?.getTime());
