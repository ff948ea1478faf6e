import { bindingKey, type Setup, type SetupBinding, type SetupSite, templateKey } from "shared/core/input/setup";
import type { TemplateInput } from "shared/core/template/check";
import { toInput } from "shared/core/template/draft";
import type { Sql } from "shared/db/statement";
import { listTemplateRows } from "shared/db/template";
import { everyRow } from "../trpc/paging.ts";
import { allItems } from "./elsewhere.ts";

/** Calls a procedure by its path, as the caller of the set-up. */
export type Call = (path: string, input: object) => Promise<unknown>;

type WithId<Part> = Part & { id: string };

export interface CurrentSite extends Omit<SetupSite, "recipients" | "webhooks" | "bindings"> {
  id: string;
  recipients: WithId<NonNullable<SetupSite["recipients"]>[number]>[];
  webhooks: WithId<NonNullable<SetupSite["webhooks"]>[number]>[];
  bindings: WithId<SetupBinding>[];
}

/** What an account has, with the ids that a file leaves out. */
export type Current = Awaited<ReturnType<typeof readCurrent>>;

/** Reads the account's set-up by its own procedures; `siteId`: of its sites only that one. */
export async function readCurrent(sql: Sql, accountId: string, call: Call, siteId?: string) {
  const settings = (await call("settings.get", {})) as Required<NonNullable<Setup["settings"]>>;
  const sites =
    siteId === undefined
      ? await allItems<Listed>(call, "sites.list")
      : [((await call("sites.get", { id: siteId })) as { site: Listed }).site];
  return {
    settings: pick(settings, "timezone", "retention", "messagesPerSecond", "retryHours", "optOut"),
    templates: await readTemplates(sql, accountId),
    sites: await Promise.all(sites.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(async (site) => readSite(call, site))),
  };
}

type Listed = WithId<SetupSite> & { topicMap: Record<string, string | null> };
type ListedBinding = WithId<SetupBinding>;

async function readSite(call: Call, site: Listed): Promise<CurrentSite> {
  const siteId = site.id;
  const [recipients, webhooks, bindings] = [
    await allItems<CurrentSite["recipients"][number]>(call, "recipients.list", { siteId }),
    await allItems<CurrentSite["webhooks"][number]>(call, "webhooks.list", { siteId }),
    await allItems<ListedBinding>(call, "bindings.list", { siteId }),
  ];
  return {
    ...pick(site, "id", "name", "mode", "url", "sourceType", "enabled", "testPhone", "requireTimestamp", "requireSignedTimestamp"),
    ...pick(site, "rateLimitPerSecond", "holdMessages", "retryAfterAnswer", "idempotencyHours", "country"),
    topics: site.topicMap,
    normalizePhones: site.normalizePhones,
    recipients: sorted(recipients, ({ phone }) => phone).map((one) => pick(one, "id", "phone", "label", "active")),
    webhooks: sorted(webhooks, ({ url }) => url).map((one) => pick(one, "id", "url", "types", "enabled")),
    bindings: sorted(bindings.map(readBinding), (binding) => `${binding.event} ${bindingKey(withoutId(binding))}`),
  };
}

const pick = <Part extends object, Name extends keyof Part & string>(part: Part, ...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, part[name]])) as Pick<Part, Name>;

/** Members that are null are as absent ones. */
function readBinding(binding: ListedBinding): WithId<SetupBinding> {
  const timing = pick(binding, "conditions", "delaySeconds", "window", "cancelOn", "restartBy", "dueAt", "expiresSeconds", "throttle");
  const given = Object.fromEntries(Object.entries(timing).filter(([, value]) => value != null)) as typeof timing;
  return {
    ...pick(binding, "id", "event", "template", "language", "recipient"),
    ...given,
    ...pick(binding, "variableMap", "enabled"),
  };
}

async function readTemplates(sql: Sql, accountId: string) {
  const rows = [];
  const stored = everyRow(
    (page) => listTemplateRows(sql, accountId, {}, page),
    ({ id }) => id,
  );
  for await (const { id, name, language, status, ...row } of stored) {
    // Null for one that no input describes.
    const input = toInput({ ...row, name, language, category: row.requested_category ?? row.category }) as TemplateInput | null;
    rows.push({ id, name, language, status, input });
  }
  return sorted(rows, templateKey);
}

const sorted = <T>(items: T[], keyOf: (item: T) => string): T[] => items.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));

/** The set-up as a file holds it. `isPart`: of one site, without the account's settings, and of the drafts only those that it uses. */
export function toSetup({ settings, templates, sites }: Current, isPart: boolean): Setup {
  const used = new Set(
    sites.flatMap(({ bindings }) => bindings.map(({ template, language }) => templateKey({ name: template, language }))),
  );
  const drafts = templates.filter((template) => template.status === "draft" && (!isPart || used.has(templateKey(template))));
  return {
    version: 1,
    ...(isPart ? { part: true } : { settings }),
    templates: drafts.flatMap(({ input }) => input ?? []),
    sites: sites.map(({ mode, ...site }) => ({
      ...withoutId(site),
      ...(mode === "test" && { mode }),
      recipients: site.recipients.map(withoutId),
      webhooks: site.webhooks.map(withoutId),
      bindings: site.bindings.map(withoutId),
    })),
  };
}

export function withoutId<Part extends { id: string }>(part: Part): Omit<Part, "id"> {
  const { id: _, ...rest } = part;
  return rest;
}
