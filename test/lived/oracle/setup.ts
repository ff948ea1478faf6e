import { scaled } from "../../faults/harness/scale.ts";
import { countBy, groupBy, idsOf, type Look, newest, pick } from "./compare.ts";
import { isPhone, readCsv } from "./messages.ts";
import { dayMs, iso, madeAt, timeOf, within } from "./times.ts";

/** What people set up, whom they told, and what they did: each list is its rows. */
export async function checkSetup(look: Look): Promise<void> {
  for (const check of [checkAudit, checkLists, checkBackfills, checkDeliveries, checkOptOuts, checkPeople]) await check(look);
}

type Entry = { id: string; action: string; createdAt: string };

async function checkAudit({ list, file, same, rows }: Look): Promise<void> {
  const entries = newest(rows.audit);
  const equal = async (input: object, expected: typeof entries): Promise<void> => {
    // What the checks themselves have added is left out.
    const items = (await list<Entry>("audit.list", input, Infinity)).filter(({ id }) => id <= (entries[0]?.id ?? ""));
    same(`audit.list ${JSON.stringify(input)}`, idsOf(items), idsOf(expected));
  };
  await equal({}, entries);
  for (const [action, of] of [...groupBy(entries, (entry) => entry.action)].slice(0, scaled(6, 1_000))) await equal({ action }, of);
  for (const [actor, of] of groupBy(entries, (entry) => (entry.actor.includes("@") ? entry.actor : null))) await equal({ actor }, of);
  const lines = readCsv(await file("audit.csv?from=2020-01-01")).map(({ time, action }) => `${time} ${action}`);
  const expected = entries.map((entry) => `${timeOf(entry)} ${entry.action}`);
  same("audit.csv", lines.slice(lines.length - expected.length), expected, "the file is the list");
}

/** In whatever order the list has them. */
async function equalSets({ list, same }: Look, path: string, expected: readonly { id: string }[], input: object = {}): Promise<void> {
  same(`${path} ${JSON.stringify(input)}`, idsOf(newest(await list<{ id: string }>(path, input))), idsOf(newest(expected)));
}

async function checkLists(look: Look): Promise<void> {
  const { lists, list, same, rows, sites } = look;
  const live = rows.sites.filter(({ deletedAt }) => deletedAt === null);
  const bindings = newest(rows.bindings.filter(({ siteId }) => sites.includes(siteId)));
  await lists("bindings.list", {}, bindings);
  for (const [event, of] of groupBy(bindings, (binding) => binding.event)) await lists("bindings.list", { event }, of);
  for (const siteId of sites) {
    const own = <Row extends { siteId: string }>(of: readonly Row[]): Row[] => of.filter((row) => row.siteId === siteId);
    await lists("bindings.list", { siteId }, own(bindings));
    await equalSets(look, "recipients.list", own(rows.recipients), { siteId });
    await equalSets(look, "webhooks.list", own(rows.endpoints), { siteId });
    const refused = await list("sites.refused", { siteId });
    const names = "id because skipped";
    const expected = newest(own(rows.refused)).slice(0, 1_000);
    same(
      `sites.refused ${siteId}`,
      refused.map((item) => pick(item as object, names)),
      expected.map((row) => pick(row, names)),
    );
  }
  await equalSets(look, "sites.list", live);
  await equalSets(
    look,
    "sites.list",
    live.filter(({ enabled, holdMessages }) => holdMessages || !enabled),
    { halted: true },
  );
  for (const { id, lastEventAt } of await list<{ id: string; lastEventAt: string | null }>("sites.list"))
    same(`sites.list: last event of ${id}`, lastEventAt, timeOf(newest(rows.events.filter(({ siteId }) => siteId === id))[0]));
  await equalSets(look, "templates.list", rows.templates);
  await equalSets(look, "people.erasures", rows.erasures);
  await equalSets(look, "users.list", rows.members);
  await equalSets(
    look,
    "users.invites.list",
    rows.invites.filter(({ acceptedAt }) => acceptedAt === null),
  );
  await equalSets(look, "tokens.list", rows.tokens);
  await equalSets(look, "views.list", rows.views);
}

/** What a backfill would run: the live events of a week without a message of the binding, that nobody asked for by hand. And how far those are that ran. */
async function checkBackfills({ ask, list, same, rows, now }: Look): Promise<void> {
  const since = now.getTime() - 7 * dayMs;
  for (const { id, siteId, event } of rows.bindings.filter(({ enabled }) => enabled).slice(0, scaled(8, 20))) {
    const sent = rows.messages.flatMap(({ bindingId, eventId }) => (bindingId === id ? [eventId] : []));
    const ran = rows.requested.flatMap((one) => [one.id, ...(one.kind === "backfill" && one.bindingId === id ? [one.replayOf] : [])]);
    const without = new Set([...sent, ...ran]);
    const live = within(rows.events, since).filter((one) => one.siteId === siteId && one.name === event && !one.test && !one.dryRun);
    const { total } = await ask<{ total: number }>("bindings.backfillPreview", { id, since: iso(since) });
    same(`bindings.backfillPreview ${id}`, total, live.filter((one) => !without.has(one.id)).length);
    const asked = newest(rows.backfills.filter(({ bindingId }) => bindingId === id));
    const done = countBy(rows.requested, ({ backfillId, doneAt }) => (doneAt === null ? null : backfillId));
    const items = await list<object>("bindings.backfills", { bindingId: id });
    const expected = asked.map((one) => ({ id: one.id, total: one.total, taken: done[one.id] ?? 0 }));
    same(
      `bindings.backfills ${id}`,
      items.map((item) => pick(item, "id total taken")),
      expected,
    );
  }
}

async function checkDeliveries({ ask, list, same, rows }: Look): Promise<void> {
  const all = newest(rows.deliveries);
  const names = "id type status attempts lastStatusCode";
  const equal = async (input: object, expected: typeof all, count = 2_000): Promise<void> => {
    const items = await list<object>("webhookDeliveries.list", input, count);
    const told = expected.slice(0, count).map((row) => pick(row, names));
    same(
      `webhookDeliveries.list ${JSON.stringify(input)}`,
      items.map((item) => pick(item, names)),
      told,
    );
  };
  await equal({}, all, Infinity);
  for (const [status, of] of groupBy(all, (row) => row.status)) await equal({ status }, of);
  for (const [webhookId, of] of groupBy(all, (row) => row.webhookId)) await equal({ webhookId }, of);
  for (const [notificationId, of] of [...groupBy(all, (row) => row.notificationId)].slice(0, 5)) await equal({ notificationId }, of);
  for (const [eventId, of] of [...groupBy(all, (row) => row.eventId)].slice(0, 5)) await equal({ eventId }, of);
  for (const { id, attempts } of all.slice(0, 10)) {
    const { delivery } = await ask<{ delivery: { tries: unknown[] } }>("webhookDeliveries.get", { id });
    same(`webhookDeliveries.get ${id}`, delivery.tries.length, Math.min(attempts, 20), "one entry for each attempt");
  }
}

/** Who opted out, on the list and on their own pages: whoever got nothing for it is among them. */
async function checkOptOuts({ ask, list, lists, same, rows }: Look): Promise<void> {
  const active = newest(rows.optOuts.filter((row) => row.active));
  const names = "id scope source since";
  const items = await list<{ id: string; phone: string | null }>("optOuts.list");
  same(
    "optOuts.list",
    items.map((item) => pick(item, names)),
    active.map((row) => pick(row, names)),
  );
  const phones = groupBy(items, ({ phone }) => (isPhone(phone) ? phone : null));
  for (const [phone, of] of [...phones].slice(0, scaled(5, 20))) {
    const { optOuts } = await ask<{ optOuts: { id: string }[] }>("customers.timeline", { phone });
    same(`customers.timeline ${phone}: opt-outs`, idsOf(newest(optOuts)), idsOf(of));
    await lists("optOuts.list", { phone }, of);
  }
  const refused = rows.messages.filter(
    ({ errorCode, toPhone }) => errorCode === "recipient_opted_out" && isPhone(toPhone) && !phones.has(toPhone),
  );
  if (active.length === rows.optOuts.length) same("optOuts.list: who got nothing", idsOf(refused), []);
}

async function checkPeople({ ask, same, rows, now }: Look): Promise<void> {
  const failed = rows.audit.filter(({ action, createdAt }) => action === "auth.failedLogin" && createdAt.getTime() > now.getTime() - dayMs);
  const many = Object.entries(countBy(failed, ({ actor }) => actor)).filter(([, count]) => count >= 10);
  const { items } = await ask<{ items: { email: string; count?: number }[] }>("audit.concerns", {});
  same("audit.concerns", new Map(items.flatMap(({ email, count }) => (count === undefined ? [] : [[email, count]]))), new Map(many));
  const { usedTokens } = await ask<{ usedTokens?: number }>("assistant.get", {});
  const used = rows.uses.filter(({ id }) => madeAt(id) > now.getTime() - dayMs).reduce((sum, { tokens }) => sum + tokens, 0);
  if (usedTokens !== undefined) same("assistant.get: usedTokens", usedTokens, used);
  for (const { id, counts, scanned } of rows.erasures) {
    const { erasure } = await ask<{ erasure: { counts: object; scanned: number } }>("people.erasure", { id });
    same(`people.erasure ${id}`, [erasure.counts, Number(erasure.scanned)], [counts, Number(scanned)]);
  }
}
