import { bindingKey, bindingMembers, type SetupBinding, type SetupSite, templateKey } from "shared/core/input/setup";
import { canonical, type JsonValue } from "shared/core/json";
import { maskReachWithin } from "shared/core/mask";
import type { AdminAnswers } from "../client.ts";
import { Failed, type Login } from "../setup/elsewhere.ts";
import { call, everyItem, readLogin, WrongUsage } from "./connection.ts";
import { readSetup, type SetupFile } from "./file.ts";
import { findSite } from "./log.ts";
import { answer, plain, showComparison, write, writeJson } from "./show.ts";

type Listed = AdminAnswers["bindings"]["list"]["items"][number];
type Comparison = AdminAnswers["bindings"]["plan"];

interface Options {
  against: string;
  limit: string;
  prune?: true;
  json?: true;
}

export async function types({ site, language, json }: { site: string; language: string; json?: true }): Promise<void> {
  const login = await readLogin();
  const written = await call<AdminAnswers["sites"]["types"]>(login, "sites.types", { siteId: await findSite(login, site), language });
  answer(json, written, ({ text }) => void process.stdout.write(text));
}

const unitMs = { h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
/** A plan of many events takes minutes. */
const longestMs = 290_000;

export async function plan(path: string, { against, limit, prune, json }: Options): Promise<void> {
  const [, count = "", unit = "d"] = /^([1-9]\d{0,3})([hdw])$/.exec(against) ?? [];
  if (count === "") throw new WrongUsage("--against must be a number of hours, days or weeks, such as 12h, 7d or 2w");
  const most = Number(limit);
  if (!Number.isInteger(most) || most < 1 || most > 100) throw new WrongUsage("--limit must be a whole number from 1 to 100");
  const login = await readLogin();
  const file = await readSetup(path);
  const to = new Date();
  const span = { from: new Date(to.getTime() - Number(count) * unitMs[unit as keyof typeof unitMs]).toISOString(), to: to.toISOString() };
  const sites = await everyItem<{ id: string; name: string }>(login, "sites.list");
  const templates = await everyItem<{ id: string; name: string; language: string }>(login, "templates.list");
  const ids = new Map(templates.map((template) => [templateKey(template), template.id]));
  const answers: Comparison[] = [];
  for (const [index, site] of (file.setup.sites ?? []).entries()) {
    const found = sites.filter(({ name }) => name === site.name);
    if (found.length > 1) throw new Failed(`Several sites are named ${site.name}: rename one first`, "CONFLICT");
    const siteId = found[0]?.id;
    if (siteId === undefined) {
      process.stderr.write(plain(`${site.name} is not in the account yet: it has no events\n`));
      continue;
    }
    const bindings = await proposals(login, siteId, { site, index, file, ids, prune: prune === true });
    const compared = await call<Comparison>(login, "bindings.plan", { siteId, bindings, ...span, limit: most }, longestMs);
    answers.push(compared);
    if (!json) showComparison(site.name, compared);
  }
  if (json) writeJson(together(answers, most));
  else if (answers.length === 0) write("The file names no site of the account.");
}

interface Wanted {
  site: SetupSite;
  /** The site's place in the file. */
  index: number;
  file: SetupFile;
  /** The account's templates. */
  ids: ReadonlyMap<string, string>;
  prune: boolean;
}

/** What the file would change of a site's bindings. @throws Failed for one whose template is in neither the file nor the account */
async function proposals(login: Login, siteId: string, { site, index, file, ids, prune }: Wanted): Promise<object[]> {
  if (site.bindings === undefined) return [];
  const stored = await everyItem<Listed>(login, "bindings.list", { siteId });
  const former = new Map(stored.map((binding) => [bindingKey(asInFile(binding)), binding]));
  const drafts = new Set((file.setup.templates ?? []).map(templateKey));
  const kept = new Set<string>();
  const proposed = site.bindings.flatMap((binding, at): object[] => {
    const { template, language, ...rest } = binding;
    const key = templateKey({ name: template, language });
    const templateId = ids.get(key);
    // What is shown to a viewer has its phones masked.
    const found = former.get(bindingKey(binding)) ?? former.get(bindingKey(masked(binding)));
    if (found !== undefined) {
      kept.add(found.id);
      const enabled = rest.enabled ?? found.enabled;
      const isSame = enabled === found.enabled && canonical(binding.variableMap) === canonical(found.variableMap);
      return isSame ? [] : [{ ...rest, templateId, id: found.id, enabled }];
    }
    if (templateId !== undefined) return [{ ...rest, templateId }];
    if (drafts.has(key)) return [];
    const path = ["sites", index, "bindings", at, "template"];
    throw new Failed(
      "The set-up cannot be planned",
      "BAD_REQUEST",
      file.placed([{ path, message: `${key} is in neither the file nor the account` }]),
    );
  });
  const gone = prune ? stored.filter(({ id }) => !kept.has(id)).map(({ id }) => ({ id, delete: true })) : [];
  return [...proposed, ...gone];
}

const asInFile = (listed: Listed): SetupBinding =>
  Object.fromEntries(bindingMembers.map((name) => [name, listed[name]])) as unknown as SetupBinding;

const masked = (binding: SetupBinding): SetupBinding => maskReachWithin(binding as unknown as JsonValue) as unknown as SetupBinding;

/** The answers of several sites as one. */
function together(answers: readonly Comparison[], most: number): Comparison {
  const messages = { same: 0, changed: 0, added: 0, removed: 0 };
  for (const each of answers) for (const kind of ["same", "changed", "added", "removed"] as const) messages[kind] += each.messages[kind];
  return {
    events: answers.reduce((sum, { events }) => sum + events, 0),
    unread: answers.reduce((sum, { unread }) => sum + unread, 0),
    messages,
    samples: answers.flatMap(({ samples }) => samples).slice(0, most),
    leftOut: ["throttle", "cancelOn", "restartBy"],
  };
}
