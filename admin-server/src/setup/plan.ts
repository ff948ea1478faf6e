import { bindingKey, bindingMembers, type Setup, type SetupBinding, type SetupSite, templateKey } from "shared/core/input/setup";
import { canonical } from "shared/core/json";
import { grouped } from "shared/core/text";
import { say } from "shared/core/wording";
import { conflict, invalidInput } from "../trpc/errors.ts";
import { type Current, type CurrentSite, withoutId } from "./read.ts";

type Place = (string | number)[];

/** One object that applying a set-up makes, changes or removes. */
export interface Change {
  action: "create" | "change" | "remove";
  kind: "settings" | "template" | "site" | "recipient" | "webhook" | "binding";
  name: string;
  /** The site that it belongs to; null for what is the account's. */
  site: string | null;
  /** Each member that differs, as it is and as it will be. */
  members: { member: string; before: unknown; after: unknown }[];
}

/** The ids of sites by name, and of templates by name and language; those that are made on the way come in as they are made. */
export type Ids = Record<"sites" | "templates", Map<string, string>>;

/** A change with the calls that make it; `place`: where the file says so. */
export interface Step extends Change {
  place: Place;
  calls: { path: string; input: (ids: Ids) => object }[];
}

export interface Plan {
  steps: Step[];
  /** What the account has besides, which only `prune` removes. */
  besides: Pick<Change, "kind" | "name" | "site">[];
}

/** What has to be done to make the account's set-up that of the file, in an order in which it can be done. @throws TRPCError CONFLICT, BAD_REQUEST */
export function planSetup(current: Current, setup: Setup, prune: boolean): Plan {
  const names = current.sites.map(({ name }) => name);
  const twin = setup.sites?.find(({ name }) => names.indexOf(name) !== names.lastIndexOf(name));
  if (twin !== undefined) throw conflict("The account has several sites named {name}: rename one first", { name: twin.name });
  const templates = planTemplates(current, setup);
  const known = new Set([...current.templates.map(templateKey), ...(setup.templates ?? []).map(templateKey)]);
  const parts = (setup.sites ?? []).map((site, index) =>
    planSite(
      current.sites.find(({ name }) => name === site.name),
      site,
      ["sites", index],
      known,
    ),
  );
  const gone =
    setup.sites === undefined || setup.part === true
      ? []
      : current.sites.filter((site) => !setup.sites?.some(({ name }) => name === site.name));
  const removals = [
    ...parts.flatMap(({ removed }) => removed),
    ...(setup.part === true ? [] : templates.removed),
    ...gone.map(({ id, name }) => removal("site", name, null, "sites.delete", id)),
  ];
  const made = [...planSettings(current, setup), ...templates.made, ...parts.flatMap(({ made: steps }) => steps)];
  // What is freed first makes room for what is made.
  const early = removals.filter(({ kind }) => kind !== "template" && kind !== "site");
  const late = removals.filter(({ kind }) => kind === "template" || kind === "site").toSorted((a) => (a.kind === "site" ? -1 : 1));
  const besides = prune ? [] : removals.map(({ kind, name, site }) => ({ kind, name, site }));
  return { steps: prune ? [...early, ...made, ...late] : made, besides };
}

function planSettings({ settings }: Current, setup: Setup): Step[] {
  const members = Object.entries(setup.settings ?? {}).flatMap(([member, after]) => {
    const before = (settings as Record<string, unknown>)[member];
    return after === undefined || isWithin(after, before) ? [] : [{ member, before, after }];
  });
  return changed({ kind: "settings", name: "settings", site: null, place: ["settings"] }, members, "settings.update");
}

/** The step that changes the members that differ, if any do; `besides`: what its call names besides. */
const changed = (
  step: Pick<Step, "kind" | "name" | "site" | "place">,
  members: Change["members"],
  path: string,
  besides: object = {},
): Step[] => {
  const input = { ...besides, ...Object.fromEntries(members.map(({ member, after }) => [member, after])) };
  return members.length === 0 ? [] : [{ ...step, action: "change", members, calls: [callOf(path, input)] }];
};

/** Whether the value has all that the wanted one names. */
function isWithin(wanted: unknown, value: unknown): boolean {
  if (typeof wanted !== "object" || wanted === null || Array.isArray(wanted)) return canonical(wanted ?? null) === canonical(value ?? null);
  return Object.entries(wanted).every(
    ([name, inner]) => inner === undefined || isWithin(inner, (value as Record<string, unknown> | null)?.[name]),
  );
}

const callOf = (path: string, input: object) => ({ path, input: () => input });

function planTemplates(current: Current, { templates }: Setup): { made: Step[]; removed: Step[] } {
  const stored = new Map(current.templates.map((template) => [templateKey(template), template]));
  const made = (templates ?? []).flatMap((wanted, index): Step[] => {
    const name = templateKey(wanted);
    const former = stored.get(name);
    const step = { kind: "template" as const, name, site: null, place: ["templates", index] };
    if (former === undefined) return [{ ...step, action: "create", members: [], calls: [callOf("templates.create", wanted)] }];
    // One that was submitted is the platform's.
    if (former.status !== "draft") return [];
    const members = differences({ ...former.input }, plain(wanted), emptyAsAbsent);
    return changed(step, members, "templates.update", { ...wanted, id: former.id });
  });
  const named = new Set(templates?.map(templateKey));
  const drafts = templates === undefined ? [] : current.templates.filter((one) => one.status === "draft" && !named.has(templateKey(one)));
  return { made, removed: drafts.map((one) => removal("template", templateKey(one), null, "templates.delete", one.id)) };
}

/** A template without footer, buttons or examples may have them empty. */
const emptyAsAbsent = (value: unknown): unknown => {
  if (value === "" || (Array.isArray(value) && value.length === 0)) return null;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value ?? null;
  const members = Object.entries(value).filter(([, inner]) => emptyAsAbsent(inner) !== null);
  return members.length === 0 ? null : Object.fromEntries(members);
};

const plain = (value: object): Record<string, unknown> => value as Record<string, unknown>;

/** The members of the wanted object that differ; those that it lacks stay. */
const differences = (
  before: Record<string, unknown>,
  after: Record<string, unknown>,
  read: (value: unknown) => unknown = (value) => value ?? null,
) =>
  Object.entries(after).flatMap(([member, value]) =>
    value === undefined || canonical(read(before[member])) === canonical(read(value))
      ? []
      : [{ member, before: before[member] ?? null, after: value }],
  );

const removal = (kind: Change["kind"], name: string, site: string | null, path: string, id: string): Step => ({
  action: "remove",
  kind,
  name,
  site,
  members: [],
  place: [],
  calls: [callOf(path, { id })],
});

/** Members of a site that can only be changed once it is there. */
const later = ["enabled", "requireTimestamp", "rateLimitPerSecond"] as const;

function planSite(former: CurrentSite | undefined, wanted: SetupSite, place: Place, templates: ReadonlySet<string>) {
  const { recipients, webhooks, bindings, ...own } = wanted;
  if (former !== undefined && own.mode !== undefined && own.mode !== former.mode)
    throw invalidInput([{ path: [...place, "mode"], said: say("Never changes: give the site another name") }]);
  const site = wanted.name;
  const step = { kind: "site" as const, name: site, site: null, place };
  const made: Step[] = [];
  if (former === undefined) {
    const given = Object.fromEntries(
      Object.entries(own).filter(([name, value]) => value !== undefined && !(later as readonly string[]).includes(name)),
    );
    const rest = Object.fromEntries(later.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]])));
    const update = { path: "sites.update", input: ({ sites }: Ids) => ({ id: sites.get(site), ...rest }) };
    made.push({
      ...step,
      action: "create",
      members: [],
      calls: [callOf("sites.create", given), ...(Object.keys(rest).length > 0 ? [update] : [])],
    });
  } else {
    made.push(...changed(step, differences({ ...former }, own), "sites.update", { id: former.id }));
  }
  const lists = [
    planList(site, "recipient", former?.recipients, recipients, ({ phone }) => phone, place),
    planList(site, "webhook", former?.webhooks, webhooks, ({ url }) => url, place),
    planBindings(site, former?.bindings, bindings, place, templates),
  ];
  return { made: [...made, ...lists.flatMap((list) => list.made)], removed: lists.flatMap((list) => list.removed) };
}

/** The lists of a site, and the calls that write them. */
const listsOf = {
  recipient: { list: "recipients", add: "recipients.add", change: "recipients.update", remove: "recipients.remove" },
  webhook: { list: "webhooks", add: "webhooks.create", change: "webhooks.update", remove: "webhooks.delete" },
  binding: { list: "bindings", add: "bindings.create", change: "bindings.update", remove: "bindings.delete" },
};

function planList<Part extends object>(
  site: string,
  kind: keyof typeof listsOf,
  former: (Part & { id: string })[] = [],
  wanted: Part[] | undefined,
  keyOf: (part: Part) => string,
  place: Place,
  {
    nameOf = keyOf,
    toInput = (part: Part) => (): object => part,
  }: { nameOf?: (part: Part) => string; toInput?: (part: Part) => (ids: Ids) => object } = {},
): { made: Step[]; removed: Step[] } {
  const { list, add, change, remove } = listsOf[kind];
  const stored = new Map(former.map((part) => [keyOf(part), part]));
  const made = (wanted ?? []).flatMap((part, index): Step[] => {
    const found = stored.get(keyOf(part));
    const step = { kind, name: nameOf(part), site, place: [...place, list, index] };
    const input = toInput(part);
    if (found === undefined) {
      const withSite = (ids: Ids) => ({ siteId: ids.sites.get(site), ...input(ids) });
      return [{ ...step, action: "create", members: [], calls: [{ path: add, input: withSite }] }];
    }
    return changed(step, differences({ ...found }, plain(part)), change, { id: found.id });
  });
  const named = new Set(wanted?.map(keyOf));
  const gone = wanted === undefined ? [] : former.filter((part) => !named.has(keyOf(part)));
  return { made, removed: gone.map((part) => removal(kind, nameOf(part), site, remove, part.id)) };
}

function planBindings(
  site: string,
  former: CurrentSite["bindings"] | undefined,
  wanted: SetupBinding[] | undefined,
  place: Place,
  templates: ReadonlySet<string>,
) {
  const unknown = (wanted ?? []).flatMap(({ template, language }, index) =>
    templates.has(templateKey({ name: template, language }))
      ? []
      : [
          {
            path: [...place, "bindings", index, "template"],
            said: say("Is in neither the file nor the account: create the template first"),
          },
        ],
  );
  if (unknown.length > 0) throw invalidInput(unknown);
  const toInput =
    ({ template, language, ...rest }: SetupBinding) =>
    (ids: Ids) => ({ ...rest, templateId: ids.templates.get(templateKey({ name: template, language })) });
  const keyOf = (binding: SetupBinding) => bindingKey(withoutId({ id: "", ...binding }));
  return planList(site, "binding", former, wanted, keyOf, place, {
    nameOf: namesOf([...(former ?? []), ...(wanted ?? [])], keyOf),
    toInput,
  });
}

/** Names bindings by event and template, and where several have both, by what tells them apart. */
function namesOf(all: readonly SetupBinding[], keyOf: (binding: SetupBinding) => string) {
  const shortOf = ({ event, template, language }: SetupBinding) => `${event} → ${templateKey({ name: template, language })}`;
  const members = bindingMembers.filter((member) => member !== "variableMap" && member !== "enabled");
  const isSame = (a: unknown, b: unknown): boolean => canonical(a ?? null) === canonical(b ?? null);
  const tell = (binding: SetupBinding, member: keyof SetupBinding): string => {
    const value = binding[member] ?? null;
    if (value === null) return `no ${member}`;
    return `${member} ${member === "recipient" ? Object.values(value).join(" ") : canonical(value)}`;
  };
  const alike = grouped(all.map((binding) => [shortOf(binding), binding]));
  return (binding: SetupBinding): string => {
    const twins = (alike.get(shortOf(binding)) ?? []).filter((one) => keyOf(one) !== keyOf(binding));
    const apart = members.filter((member) => twins.some((twin) => !isSame(twin[member], binding[member])));
    return [shortOf(binding), ...apart.map((member) => tell(binding, member))].join(", ");
  };
}
