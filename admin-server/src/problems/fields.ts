import { typeOf } from "shared/core/fields/learn";
import { type JsonValue, lookUp, parseJson } from "shared/core/json";
import type { FoundProblem } from "shared/core/problem/problem";
import { attempt } from "shared/core/text";
import type { ExpressionName } from "shared/core/variables";
import type { BindingRow } from "shared/db/binding";
import { type FadedField, listFadedFields, readNewestPayloads } from "shared/db/event-kind";
import { readRowCodec } from "shared/sealing/account-rows";
import { readValue } from "shared/secrets/row-codec";
import expressionPaths from "./expression-paths.json" with { type: "json" };
import { type Facts, type Look, countedFrom, lasting, timeOf } from "./look.ts";

/** How many of the newest events of a name lack a field, or have it as another type, before somebody is told. */
const eventsEach = 20;
/** The most names whose payloads one look reads, and their bytes. */
const mostNames = 50;
const mostBytes = 8 * 1024 * 1024;

/** Fields that bindings read and that the newest events lack, or have as another type, although earlier ones had them. */
export async function findChangedFields(look: Look, { sites }: Facts, bindings: readonly BindingRow[]): Promise<FoundProblem[]> {
  const { context, accountId } = look;
  const readers = new Map<string, Map<string, Reader>>();
  for (const binding of bindings) {
    const key = keyOf(binding.site_id, binding.event);
    const paths = readers.get(key) ?? new Map<string, Reader>();
    for (const others of sites.has(binding.site_id) ? pathsOf(binding) : [])
      for (const path of others) if ((paths.get(path)?.others.length ?? 2) > 1) paths.set(path, { binding, others });
    if (paths.size > 0) readers.set(key, paths);
  }
  const asked = Array.from(readers.values(), (paths) => {
    const [{ binding }] = [...paths.values()] as [Reader];
    return { of_site: binding.site_id, of_name: binding.event, paths: [...paths.keys()] };
  });
  const faded = asked.length === 0 ? [] : await listFadedFields(context.sql, asked, eventsEach);
  const from = (field: FadedField) => countedFrom(look, "field_changed", field.of_site, subjectOf(field));
  const suspects = faded.filter((field) => field.sampled >= from(field));
  const payloads = await readLately(context, accountId, suspects);
  return suspects.flatMap((field): FoundProblem[] => {
    const { of_site: siteId, of_name: event, path, since } = field;
    const reader = readers.get(keyOf(siteId, event))?.get(path);
    const change = reader && changeOf(field, from(field), payloads.get(keyOf(siteId, event)) ?? [], reader.others);
    if (!change) return [];
    const detail = { site: sites.get(siteId)?.name ?? "", event, path, bindingId: reader.binding.id, ...change };
    return [{ kind: "field_changed", siteId, subject: subjectOf(field), detail, ...lasting, firstAt: timeOf(since) }];
  });
}

/** A binding that reads a field, or, where it is missing, one of the `others`. */
interface Reader {
  binding: BindingRow;
  others: readonly string[];
}

const keyOf = (siteId: string, event: string): string => `${siteId} ${event}`;
const subjectOf = ({ of_name, path }: FadedField): string => `${of_name} ${path}`;

/** The payloads of the newest events of the fields' names, by site and name. */
async function readLately({ sql, vault }: Look["context"], accountId: string, fields: readonly FadedField[]) {
  const names = new Map(fields.map(({ of_site, of_name }) => [keyOf(of_site, of_name), { of_site, of_name }]));
  const read = new Map<string, JsonValue[]>();
  if (names.size === 0) return read;
  const codec = await readRowCodec(sql, vault, accountId);
  for (const row of await readNewestPayloads(sql, [...names.values()].slice(0, mostNames), eventsEach, mostBytes)) {
    const text = readValue(codec, row.payload, "event_payload.payload", row.id, "");
    const key = keyOf(row.of_site, row.of_name);
    // What was erased tells nothing.
    if (text !== "" && text !== "{}") read.set(key, [...(read.get(key) ?? []), attempt(() => parseJson(text), null)]);
  }
  return read;
}

/**
 * What became of the field, as the types of its values; null: one of the newest events has it as it was first, or too few of them are kept. What was before
 * the event `from` counts no more.
 */
function changeOf(field: FadedField, from: string, payloads: readonly JsonValue[], others: readonly string[]) {
  const typesOf = (path: string) =>
    payloads.flatMap((payload) => {
      const value = lookUp(payload, path);
      return value === undefined || value === null || value === "" ? [] : typeOf(value);
    });
  const found = typesOf(field.path);
  if (payloads.length < eventsEach) return null;
  if (found.length === 0) return others.some((path) => typesOf(path).length > 0) ? null : { was: field.type, now: null };
  const [now = null] = found;
  const [former] = Object.entries(field.types ?? {})
    .filter(([, { last }]) => last >= from)
    .toSorted(([, a], [, b]) => (a.first < b.first ? -1 : 1));
  if (former === undefined || former[0] === now || former[1].last >= field.since) return null;
  return found.length < eventsEach || found.some((type) => type !== now) ? null : { was: former[0], now };
}

const pathsOfExpression: Readonly<Record<ExpressionName, readonly (readonly string[])[]>> = expressionPaths;

/** The paths of the payload that a binding reads, those together of which one is enough. */
function pathsOf({ recipient, variable_map, conditions, schedule }: BindingRow): (readonly string[])[] {
  const specs = Object.values(variable_map).flatMap((group) => Object.values(group ?? {}));
  const alone = [
    ...("path" in recipient ? [recipient.path] : []),
    ...specs.flatMap((spec) => (spec.source === "field" ? spec.path : [])),
    ...(conditions?.rules.map(({ path }) => path) ?? []),
    ...[schedule?.cancelOn?.by, schedule?.restartBy, schedule?.dueAt?.path].filter((path) => path !== undefined),
  ];
  return [
    ...alone.map((path) => [path]),
    ...(recipient.strategy === "customer" ? [["customer.phone_e164", "customer.phone"]] : []),
    ...specs.flatMap((spec) => (spec.source === "expression" ? pathsOfExpression[spec.expr] : [])),
  ];
}
