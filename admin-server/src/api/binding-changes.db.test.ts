import { expect, test } from "vitest";
import { addSite, insertEvent, insertNotification, openBoundShop } from "../../../test/support/admin-shops.ts";
import { openResources } from "../../../test/support/admin.ts";
import { data } from "../../../test/support/data.ts";
import { shared } from "../../../test/support/shared.ts";

const resources = shared(async () => openResources());

/** An account with two sites, and three bindings of the first; `entries` reads the audit's changes, by subject. */
async function openTwoSites() {
  const shop = await openBoundShop(resources);
  const { api, base } = shop;
  const other = await addSite(api);
  const ids: string[] = [];
  for (const event of ["order.paid", "order.packed", "order.shipped"]) ids.push((await api.bindings.create({ ...base, event })).binding.id);
  const at = async (siteId: string) => (await api.bindings.list({ siteId })).items;
  return { ...shop, other, ids: ids as [string, string, string], at };
}

test("bindings move to another site, each or with the reason why not", async () => {
  const { api, siteId, other, ids, at, base } = await openTwoSites();
  const equal = await api.bindings.create({ ...base, siteId: other, event: "order.packed" });
  const { results } = await api.bindings.changeMany({ action: "move", ids, siteId: other });
  expect(results.map(({ id, copyId }) => [id, copyId])).toEqual(ids.map((id) => [id, null]));
  expect(results.map(({ refused }) => refused)).toEqual([
    null,
    expect.stringContaining(`The binding ${equal.binding.id} has the same`),
    null,
  ]);
  expect(results.map(({ equalId }) => equalId)).toEqual([null, equal.binding.id, null]);
  expect((await at(siteId)).map(({ id }) => id)).toEqual([ids[1]]);
  expect(new Set((await at(other)).map(({ id }) => id))).toEqual(new Set([ids[0], ids[2], equal.binding.id]));
});

test("copies have what their originals have; two equal ones of a selection become one", async () => {
  const { api, siteId, other, ids, at } = await openTwoSites();
  const first = await api.bindings.changeMany({ action: "copy", ids, siteId: other, enabled: false });
  expect(first.results.map(({ refused }) => refused)).toEqual([null, null, null]);
  const [originals, copies] = [await at(siteId), await at(other)];
  const told = ({ event, templateId, recipient, variableMap }: (typeof copies)[number]) => ({ event, templateId, recipient, variableMap });
  expect(copies.map(told)).toEqual(originals.map(told));
  expect([originals, copies].map((bindings) => bindings.map(({ enabled }) => enabled))).toEqual([
    [true, true, true],
    [false, false, false],
  ]);
  const third = await addSite(api);
  const [copyId = ""] = first.results.map((result) => result.copyId);
  const twice = await api.bindings.changeMany({ action: "copy", ids: [ids[0], copyId ?? ""], siteId: third });
  expect(twice.results.map(({ refused }) => refused !== null)).toEqual([false, true]);
  expect(await at(third)).toHaveLength(1);
  const onItself = await api.bindings.changeMany({ action: "copy", ids, siteId });
  expect(onItself.results.every(({ refused, copyId: copied }) => refused !== null && copied === null)).toBe(true);
});

test("a site's limits hold for what is enabled, copied and moved together", async () => {
  const { api, siteId, other, ids, base } = await openTwoSites();
  const recipientOf = (n: number) => ({ strategy: "field_path" as const, path: `phones.${n}` });
  for (let n = 0; n < 49; n += 1) await api.bindings.create({ ...base, siteId: other, event: "order.paid", recipient: recipientOf(n) });
  const spare = await api.bindings.create({ ...base, event: "order.paid", recipient: recipientOf(90) });
  const { results } = await api.bindings.changeMany({ action: "move", ids: [ids[0], spare.binding.id], siteId: other });
  expect(results.map(({ refused }) => refused)).toEqual([null, expect.stringContaining("at most 50 enabled")]);
  const off = await api.bindings.changeMany({ action: "disable", ids: [ids[0], ids[1]] });
  expect(off.results.every(({ refused }) => refused === null)).toBe(true);
  await api.bindings.changeMany({ action: "move", ids: [spare.binding.id], siteId: other });
  const on = await api.bindings.changeMany({ action: "enable", ids: [ids[0], ids[1]] });
  expect(on.results.map(({ refused }) => refused !== null)).toEqual([true, false]);
  expect((await api.bindings.get({ id: ids[1] })).binding).toMatchObject({ siteId, enabled: true });
});

test("another template fits, or the binding keeps its own", async () => {
  const { api, ids, templateId } = await openTwoSites();
  const named = (language: string, body: string) =>
    api.templates.create({
      name: "order_shipped",
      language,
      category: "UTILITY",
      body,
      examples: { body: ["Ada", "1"].slice(0, body.split("{{").length - 1) },
    });
  const { template: same } = await api.templates.create(
    data("admin-server-api-binding-changes", "another template fits, or the binding keeps its own"),
  );
  const { template: fewer } = await named("fr", "Bonjour {{1}}, votre commande est en route.");
  const wrong = await api.bindings.changeMany({ action: "setTemplate", ids, templateId: fewer.id });
  expect(wrong.results.map(({ refused }) => refused)).toEqual(
    ids.map(() => expect.stringContaining("Its variables differ: header had {{1}}") as string),
  );
  const right = await api.bindings.changeMany({ action: "setTemplate", ids, templateId: same.id });
  expect(right.results.map(({ refused }) => refused)).toEqual([null, null, null]);
  expect((await api.bindings.list({ templateId })).items).toEqual([]);
  expect((await api.bindings.list({ templateId: same.id })).items.map(({ language }) => language)).toEqual(["de", "de", "de"]);
});

test("what a deleted binding has waiting is cancelled, and each change has its own entry in the audit", async () => {
  const { api, as, accountId, siteId, other, ids } = await openTwoSites();
  const eventId = await insertEvent(resources.sql, siteId);
  const waiting = await insertNotification(resources.sql, { accountId, siteId, eventId }, { binding_id: ids[0], status: "scheduled" });
  await resources.sql`
    insert into waiting_message (site_id, id, account_id, event_id, binding_id, phone_hash, due_at, queued_at)
    values (${siteId}, ${waiting}, ${accountId}, ${eventId}, ${ids[0]}, 'digest', 'tomorrow', 'tomorrow')`;
  await api.bindings.changeMany({ action: "move", ids: [ids[1]], siteId: other });
  await api.bindings.changeMany({ action: "delete", ids: [ids[0], ids[2]] });
  expect((await api.notifications.get({ id: waiting })).notification.status).toBe("cancelled");
  expect((await api.bindings.list()).items.map(({ id }) => id)).toEqual([ids[1]]);
  const gone = await api.bindings.changeMany({ action: "disable", ids: [ids[0]] });
  expect(gone.results).toEqual([
    {
      id: ids[0],
      copyId: null,
      refused: "The binding does not exist",
      said: { text: "The binding does not exist", values: {} },
      equalId: null,
    },
  ]);
  const { items } = await as("owner").audit.list({ action: "bindings.changeMany" });
  expect(new Set(items.map(({ subject }) => subject))).toEqual(new Set(ids));
  expect(items).toHaveLength(3);
  const [moved] = items.filter(({ subject }) => subject === ids[1]);
  expect(moved?.changes).toEqual([{ member: "siteId", before: siteId, after: other, kept: "values" }]);
  const [deleted] = items.filter(({ subject }) => subject === ids[0]);
  expect(deleted?.changes).toContainEqual(expect.objectContaining({ member: "event", before: "order.paid" }));
});

test("two who move and delete the same bindings at once leave each either moved or gone, and told once", async () => {
  const { api, as, siteId, other, ids, at } = await openTwoSites();
  const third = await addSite(api);
  const [toOther, toThird, away] = await Promise.all([
    api.bindings.changeMany({ action: "move", ids, siteId: other }),
    api.bindings.changeMany({ action: "move", ids: ids.toReversed(), siteId: third }),
    api.bindings.changeMany({ action: "delete", ids: [ids[1]] }),
  ]);
  expect(away.results[0]?.refused).toBeNull();
  expect(await at(siteId)).toEqual([]);
  const left = [...(await at(other)), ...(await at(third))].map(({ id }) => id);
  expect(new Set(left)).toEqual(new Set([ids[0], ids[2]]));
  const done = [toOther, toThird, away].flatMap(({ results }) => results.filter(({ refused }) => refused === null));
  const { items } = await as("owner").audit.list({ action: "bindings.changeMany" });
  expect(items).toHaveLength(done.length);
});

test("500 at once and no more, of the caller's account alone", async () => {
  const { api, other, siteId, templateId } = await openTwoSites();
  const stranger = await openTwoSites();
  await resources.sql`
    insert into binding (id, site_id, event, template_id, recipient, variable_map, enabled)
    select gen_random_uuid(), ${siteId}, 'event.' || n, ${templateId}, '{"strategy":"customer"}', '{}', true from generate_series(1, 500) n`;
  const rows = await resources.sql<{ id: string }[]>`select id from binding where site_id = ${siteId} and event like 'event.%'`;
  const all = rows.map(({ id }) => id);
  const { results } = await api.bindings.changeMany({ action: "move", ids: all, siteId: other });
  expect(results.filter(({ refused }) => refused === null)).toHaveLength(500);
  await expect(api.bindings.changeMany({ action: "disable", ids: [...all, stranger.ids[0]] })).rejects.toThrow("ids");
  const theirs = await api.bindings.changeMany({ action: "delete", ids: stranger.ids });
  expect(theirs.results.map(({ refused }) => refused)).toEqual(stranger.ids.map(() => "The binding does not exist"));
  expect(await stranger.at(stranger.siteId)).toHaveLength(3);
  await expect(api.bindings.changeMany({ action: "move", ids: all, siteId: stranger.siteId })).rejects.toThrow("no such site");
  await expect(api.bindings.changeMany({ action: "setTemplate", ids: all, templateId: stranger.templateId })).rejects.toThrow(
    "no such template",
  );
});
