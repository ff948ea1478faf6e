import { scaled } from "../../faults/harness/scale.ts";
import { countBy, idsOf, type Look, newest, pick } from "./compare.ts";
import type { MessageRow } from "./rows.ts";
import { dayBegin, dayMs, hourMs, iso, madeAt, timeOf, within } from "./times.ts";

/** The log, its file, what is sent again and what waits. */
export async function checkMessages(look: Look): Promise<void> {
  for (const check of [checkLog, checkFilters, checkFile, checkAttempts, checkResends, checkWaiting]) await check(look);
}

/** Encrypted rows hold something else. */
export const isPhone = (text: string | null): boolean => /^\+\d+$/.test(text ?? "");
const isPlatformId = (text: string | null): boolean => text?.startsWith("wamid") === true;
export const codeOf = ({ errorCode }: MessageRow): string => errorCode ?? "unknown";

const plain =
  "siteId event eventId bindingId template language status errorCode sentAt deliveredAt readAt failedAt test resendOf createdAt";

const counted = ({ length }: object[]) => ({ total: Math.min(length, 10_000), more: length > 10_000 });

async function checkLog({ ask, list, same, messages }: Look): Promise<void> {
  const items = await list<MessageRow>("notifications.list", {}, Infinity);
  same("notifications.count", await ask("notifications.count", {}), { ...counted(messages), next: null });
  same("notifications.list", idsOf(items), idsOf(messages), "each message once, as its newest attempt, the newest first");
  const rowOf = new Map(messages.map((row) => [row.id, row]));
  for (const item of items) {
    const row = rowOf.get(item.id);
    if (row === undefined) continue;
    const names = plain + (isPhone(row.toPhone) ? " toPhone" : "") + (isPlatformId(row.waMessageId) ? " waMessageId" : "");
    same(`notifications.list: ${item.id}`, pick(item, names), pick({ ...row, createdAt: timeOf(row) }, names));
  }
}

type Filter = [input: object, expected: MessageRow[]];

/** Every filter by every value, or by some of a kind that has many, one by one, and a few together. */
function filtersOf({ rows, messages, timezone, now }: Look): Filter[] {
  const by = (name: string, value: (row: MessageRow) => string | boolean | null, count = 50): Filter[] => {
    const values = [...new Set(messages.map(value))].filter((one) => one !== null).slice(0, count);
    return values.map((one) => [{ [name]: one }, messages.filter((row) => value(row) === one)]);
  };
  const phones = by("phone", ({ toPhone }) => (isPhone(toPhone) ? toPhone : null), scaled(4, 20));
  const orderOf = new Map(rows.events.map(({ id, orderId }) => [id, orderId]));
  const today = dayBegin(now.getTime(), timezone);
  // The end is included.
  const yesterday = { from: iso(today - dayMs), to: iso(today - 1) };
  const then = within(messages, today - dayMs, today);
  const failed = messages.filter(({ status }) => status === "failed");
  return [
    ...by("siteId", ({ siteId }) => siteId),
    ...by("status", ({ status }) => status),
    ...by("event", ({ event }) => event),
    ...by("template", ({ template }) => template),
    ...by("errorCode", ({ errorCode }) => errorCode),
    ...by("test", ({ test }) => test),
    ...by("eventId", ({ eventId }) => eventId, scaled(2, 10)),
    ...by("waMessageId", ({ waMessageId }) => (isPlatformId(waMessageId) ? waMessageId : null), scaled(2, 10)),
    ...by("search", ({ id }) => id, scaled(1, 5)),
    ...by("search", ({ eventId }) => eventId, scaled(1, 5)),
    ...by("search", ({ eventId }) => orderOf.get(eventId) ?? null, scaled(1, 3)),
    ...phones,
    ...phones.map(([{ phone }]: [{ phone?: string }, MessageRow[]]): Filter => {
      const naming = ({ eventId }: MessageRow): boolean => rows.payloads.get(eventId)?.includes(phone ?? "") === true;
      return [{ search: phone }, messages.filter((row) => row.toPhone === phone || naming(row))];
    }),
    [yesterday, then],
    [{ failedFrom: iso(today - dayMs) }, failed.filter(({ id, failedAt }) => (failedAt?.getTime() ?? madeAt(id)) >= today - dayMs)],
    [{ ...yesterday, status: "failed" }, then.filter(({ status }) => status === "failed")],
  ];
}

async function checkFilters(look: Look): Promise<void> {
  for (const [input, expected] of filtersOf(look)) await look.lists("notifications.list", input, expected);
}

/** The records of a CSV text, by its header. */
export function readCsv(text: string): Record<string, string>[] {
  const lines: string[][] = [[""]];
  for (const [part] of text.matchAll(/"(?:[^"]|"")*"|[^",\n]+|,|\n/g)) {
    const line = lines.at(-1) ?? [];
    if (part === ",") line.push("");
    else if (part === "\n") lines.push([""]);
    else line[line.length - 1] += part.startsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part;
  }
  const [header = [], ...records] = lines.filter(({ length }) => length > 1);
  return records.map((record) => Object.fromEntries(header.map((name, index) => [name, record[index] ?? ""])));
}

async function checkFile({ file, same, messages }: Look): Promise<void> {
  const failed = messages.filter(({ status }) => status === "failed");
  const live = messages.filter(({ test }) => !test);
  for (const [query, expected] of Object.entries({ "from=2020-01-01": messages, "status=failed": failed, "test=false": live })) {
    const records = readCsv(await file(`notifications.csv?${query}`));
    const said = records.map(({ id, status, error_code, event, template, sent }) => [id, status, error_code, event, template, sent]);
    const rows = expected.map(({ sentAt, errorCode, ...row }) =>
      [row.id, row.status, errorCode, row.event, row.template, sentAt?.toISOString()].map((text) => text ?? ""),
    );
    same(`notifications.csv?${query}`, said, rows, "the file is the list");
  }
}

/** Of what was sent again all attempts, the oldest first, by whichever of them; each tells the one before and the one that stands for it. */
async function checkAttempts({ ask, same, rows }: Look): Promise<void> {
  const again = newest(rows.messages.filter(({ resendOf }) => resendOf !== null)).toReversed();
  const chains = new Map<string, MessageRow[]>();
  for (const row of again) {
    const chain = chains.get(row.resendOf ?? "") ?? rows.messages.filter(({ id }) => id === row.resendOf);
    chain.push(row);
    for (const { id } of chain) chains.set(id, chain);
  }
  for (const [id, chain] of [...chains].slice(0, scaled(15, 60))) {
    const { notification } = await ask<{ notification: { attempts?: MessageRow[]; resentAs: string } }>("notifications.get", { id });
    const names = "id status resendOf";
    same(
      `notifications.get ${id}: attempts`,
      notification.attempts?.map((one) => pick(one, names)),
      chain.map((one) => pick(one, names)),
    );
    const next = chain.findLast(({ resendOf, status }) => resendOf === id && status !== "cancelled");
    if (next !== undefined) same(`notifications.get ${id}: resentAs`, notification.resentAs, next.id);
  }
}

interface Failures {
  total: number;
  errors: { code: string; count: number; messages: { id: string }[] }[];
}

async function checkResends({ ask, same, messages, sites, now }: Look): Promise<void> {
  const [from, to] = [now.getTime() - 30 * dayMs, now.getTime() + hourMs];
  for (const filter of [{}, { test: false }, ...sites.map((siteId) => ({ siteId }))]) {
    const { siteId, test }: { siteId?: string; test?: boolean } = filter;
    const here = within(messages, from, to).filter((row) => (siteId ?? row.siteId) === row.siteId && (test ?? row.test) === row.test);
    const failed = here.filter(({ status }) => status === "failed");
    const { total, errors } = await ask<Failures>("notifications.resendCount", { from: iso(from), to: iso(to), ...filter });
    const where = `notifications.resendCount ${JSON.stringify(filter)}`;
    same(`${where}: total`, total, failed.length);
    same(`${where}: by code`, new Map(errors.map(({ code, count }) => [code, count])), countBy(failed, codeOf));
    for (const { code, messages: newestOf } of errors)
      same(`${where}: newest of ${code}`, idsOf(newestOf), idsOf(failed.filter((row) => codeOf(row) === code).slice(0, 5)));
  }
}

async function checkWaiting({ ask, lists, same, messages, rows, sites, now }: Look): Promise<void> {
  const held = new Set(idsOf(rows.sites.filter(({ holdMessages }) => holdMessages)));
  // What has no time counts from its arrival.
  const leavesAt = ({ id, dueAt }: MessageRow): number => dueAt?.getTime() || madeAt(id);
  for (const siteId of [undefined, ...sites]) {
    const input = siteId === undefined ? {} : { siteId };
    const here = messages.filter((row) => siteId === undefined || row.siteId === siteId);
    const scheduled = here.filter(({ status }) => status === "scheduled");
    const queued = here.filter(({ status }) => status === "queued" || status === "sending").length;
    // What is due is in the list at a site that holds it.
    const shown = newest(scheduled.filter((row) => held.has(row.siteId) || leavesAt(row) > now.getTime())).toReversed();
    await lists(
      "notifications.scheduled",
      input,
      shown.toSorted((one, other) => leavesAt(one) - leavesAt(other)),
      "the next one first",
    );
    const count = await ask("notifications.scheduledCount", input);
    same(`notifications.scheduledCount ${siteId}`, count, { ...counted(scheduled), next: null, listed: counted(shown) });
    const backlog = await ask<{ oldestQueuedSeconds: number }>("stats.backlog", input);
    const expected = { queued, scheduled: scheduled.length, limitPerSecond: rows.account[0]?.messagesPerSecond };
    same(`stats.backlog ${siteId}`, pick(backlog, "queued scheduled limitPerSecond"), expected);
    if (queued === 0) same(`stats.backlog ${siteId}: oldestQueuedSeconds`, backlog.oldestQueuedSeconds, 0);
  }
}
