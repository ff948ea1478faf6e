import { setImmediate as otherWork } from "node:timers/promises";
import {
  cancelManyInput,
  listNotificationsInput,
  listScheduledInput,
  resendFilterInput,
  resendManyInput,
  resendNotificationInput,
  countNotificationsInput,
  countScheduledInput,
  sendNowManyInput,
} from "shared/core/input/log";
import { idInput } from "shared/core/input/values";
import { parseJson, printJson } from "shared/core/json";
import { knownValues, maskedText } from "shared/core/known-values";
import { maskKnownWithin, personalValues, textsOf } from "shared/core/mask";
import { hasNoNews, isDropped } from "shared/core/message";
import { optOutKey } from "shared/core/person-key";
import { may, type Role } from "shared/core/role";
import { customerNameIn } from "shared/core/search";
import { readFailure } from "shared/core/stored-failure";
import { isUuid, uuidTime } from "shared/core/uuid";
import { say } from "shared/core/wording";
import { findEvent } from "shared/db/event/log";
import { readParties } from "shared/db/event/search";
import {
  countNotifications,
  findNotification,
  listAttempts,
  listNotifications,
  notificationColumns,
  type NotificationFilter,
  type NotificationDetailRow,
  type NotificationRow,
} from "shared/db/notification/log";
import { countAtLeast } from "shared/db/notification/statistics";
import { findFew } from "shared/db/notification/walk";
import { type CamelCase, camelCase } from "shared/db/statement";
import { cancelScheduled, sendNow } from "shared/db/waiting/cancel";
import { countScheduled, findScheduledEnd, listScheduled, type ScheduledFilter } from "shared/db/waiting/list";
import { classify, explainMessage, readStoredError, resendOutlook, titleOf } from "shared/platform/errors/classify";
import { readComponents, readEvent, readMessage, readRowCodec } from "shared/sealing/account-rows";
import { readValue, type RowCodec } from "shared/secrets/row-codec";
import type { z } from "zod";
import type { AdminContext } from "../context.ts";
import { cancelAll, presentResendJob, readResend, sendAllNow, startResends } from "../operations/bulk.ts";
import { toScheduledFilter } from "../operations/pages.ts";
import type { Caller } from "../session/caller.ts";
import { conflict, absent, moved } from "../trpc/errors.ts";
import { countRest, countStretches, mostCounted, readPage, readStretches, requireSite, type StretchOf } from "../trpc/paging.ts";
import {
  requirePhoneSearch,
  requireProofOfMany,
  shownCell,
  type ShownCell,
  shownJson,
  shownNumber,
  shownPhone,
  shownText,
} from "../trpc/roles.ts";
import { readFoundEvents, readingMessages, readMeaning } from "../trpc/search.ts";
import { operatorProcedure, readerProcedure, router, viewerProcedure } from "../trpc/trpc.ts";
import { readOwnNames } from "./event-list.ts";
import { countResends, resendOne } from "./resends.ts";

export const notificationsRouter = router({
  list: readerProcedure.input(listNotificationsInput).query(({ ctx, input }) => {
    const { accountId } = ctx.caller;
    const viewer = viewerOf(ctx);
    return readPage(
      "notifications",
      input,
      async (page) => {
        await requireSite(ctx.sql, accountId, input.siteId);
        const { rows, range, stretchOf } = await readingMessages(ctx, ctx.caller, input, page);
        const stored = await readStretches(range, stretchOf, (part, filter) => listNotifications(ctx.sql, accountId, filter, part));
        return { ...stored, rows: await withParties(ctx, rows, stored.rows) };
      },
      (row) => presentListed(row, viewer),
    );
  }),

  count: readerProcedure.input(countNotificationsInput).query(async ({ ctx, input }) => {
    const { accountId } = ctx.caller;
    await requireSite(ctx.sql, accountId, input.siteId);
    return await countRest("notifications", input, async (page) => {
      const { range, filter, stretchOf } = await readingMessages(ctx, ctx.caller, input, page);
      if (input.search === undefined && isCounted(filter) && (await countAtLeast(ctx.sql, accountId, filter, range)) > 2 * mostCounted)
        return { total: mostCounted, more: true, readTo: null };
      return await countStretches(range, stretchOf, (part, how) => countNotifications(ctx.sql, accountId, how, part));
    });
  }),

  scheduled: readerProcedure.input(listScheduledInput).query(async ({ ctx, input }) => {
    const { accountId } = ctx.caller;
    const viewer = viewerOf(ctx);
    await requireSite(ctx.sql, accountId, input.siteId);
    const rows = await readRowCodec(ctx.sql, ctx.vault, accountId);
    const filter = await toAllowedFilter(ctx, input);
    return await readPage(
      "scheduled",
      input,
      async (page) => {
        const stored = await readStretches({ ...page, from: null }, waitingOf(ctx, filter), (part, how) =>
          listScheduled(ctx.sql, accountId, how, part),
        );
        return { ...stored, rows: await withParties(ctx, rows, stored.rows) };
      },
      (row) => presentListed(row, viewer),
      { keyOf: ({ leaves_at, id }) => `${leaves_at} ${id}`, isKey: isScheduledKey },
    );
  }),

  scheduledCount: readerProcedure.input(countScheduledInput).query(async ({ ctx, input }) => {
    const { accountId } = ctx.caller;
    await requireSite(ctx.sql, accountId, input.siteId);
    const filter = await toAllowedFilter(ctx, input);
    let listed = 0;
    const count: Parameters<typeof countStretches<ScheduledFilter>>[2] = async (part, how) => {
      const counted = await countScheduled(ctx.sql, accountId, how, { ...part, limit: mostCounted + 1 });
      listed += counted.listed;
      return counted.scheduled;
    };
    const scheduled = await countRest(
      "scheduled",
      input,
      (page) => countStretches({ ...page, from: null }, waitingOf(ctx, filter), count),
      isScheduledKey,
    );
    /** `total`: those that can be cancelled. `listed`: all that `scheduled` lists; at a paused site what is queued waits too. */
    return { ...scheduled, listed: { total: Math.min(listed, mostCounted), more: listed > mostCounted || scheduled.more } };
  }),

  get: viewerProcedure.input(idInput).query(async ({ ctx, input }) => ({ notification: await readDetail(ctx, input.id) })),

  resend: operatorProcedure.input(resendNotificationInput).mutation(async ({ ctx, input }) => {
    const row = await resendOne(ctx, ctx.caller.accountId, input);
    return { notification: await presentDetail(ctx, row) };
  }),

  cancel: operatorProcedure.input(idInput).mutation(async ({ ctx, input: { id } }) => {
    const { site_id } = await requireNotification(ctx, id);
    if ((await cancelScheduled(ctx.sql, [site_id], [id], "cancelled_by_operator")).length === 0)
      throw moved(notScheduled, (await requireNotification(ctx, id)).status);
    return { notification: await readDetail(ctx, id) };
  }),

  sendNow: operatorProcedure.input(idInput).mutation(async ({ ctx, input: { id } }) => {
    const { site_id } = await requireNotification(ctx, id);
    if ((await sendNow(ctx.sql, [site_id], [id])).length === 0) throw await notSentNow(ctx, id);
    return { notification: await readDetail(ctx, id) };
  }),

  cancelMany: operatorProcedure.input(cancelManyInput).mutation(async ({ ctx, input }) => {
    requireProofOfMany(ctx.caller, input.ids === undefined ? null : new Set(input.ids).size);
    await requireSite(ctx.sql, ctx.caller.accountId, input.siteId);
    const { operation, count } = await cancelAll(ctx, ctx.caller, input);
    // What waits for the end of a pause is discarded.
    if (input.due === true) await ctx.record(ctx.sql, { subject: operation.id, changes: [{ member: "paused", after: true }] });
    return { operation, cancelled: count };
  }),

  sendNowMany: operatorProcedure.input(sendNowManyInput).mutation(async ({ ctx, input }) => {
    await requireSite(ctx.sql, ctx.caller.accountId, input.siteId);
    const { operation, count } = await sendAllNow(ctx, ctx.caller, input);
    return { operation, hurried: count };
  }),

  resendCount: viewerProcedure.input(resendFilterInput).query(async ({ ctx, input }) => {
    const { accountId, role } = ctx.caller;
    requirePhoneSearch(role, input.phone);
    await requireSite(ctx.sql, accountId, input.siteId);
    const { errors, ...counted } = await countResends(ctx, accountId, input);
    const shown = ({ messages, ...error }: (typeof errors)[number]) => ({
      ...error,
      messages: messages.map(({ id, toPhone }) => ({ id, toPhone: shownPhone(toPhone, role) })),
    });
    return { ...counted, errors: errors.map(shown) };
  }),

  resendMany: operatorProcedure.input(resendManyInput).mutation(async ({ ctx, input }) => {
    await requireSite(ctx.sql, ctx.caller.accountId, input.siteId);
    const row = await startResends(ctx, ctx.caller, input);
    return { operation: { id: row.id }, job: presentResendJob(row) };
  }),

  resendJob: operatorProcedure
    .input(idInput)
    .query(async ({ ctx, input }) => ({ job: presentResendJob(await readResend(ctx.sql, ctx.caller.accountId, input.id)) })),
});

/** Whether the counted days may tell at once that there are more than are counted. */
const isCounted = (filter: NotificationFilter): boolean =>
  Object.entries(filter).every(([name, value]) => value === undefined || ["status", "template", "siteId", "siteMode"].includes(name));

const notScheduled = say("The message is no longer scheduled");

/** Why a message cannot leave now: it has, or its site pauses. */
async function notSentNow(context: CallContext, id: string) {
  const { status } = await requireNotification(context, id);
  return status === "scheduled" ? conflict("{notScheduled}, or its site pauses sending", { notScheduled }) : moved(notScheduled, status);
}

type CallContext = Pick<AdminContext, "sql" | "vault" | "clock"> & { caller: Caller };

/** @throws TRPCError NOT_FOUND */
const requireNotification = async ({ sql, caller }: CallContext, id: string) =>
  (await findNotification(sql, caller.accountId, id)) ?? absent("notification");

/** The most bytes of payloads that one page reads for names that no search has learned. */
const mostNameBytes = 8 * 1024 * 1024;

/** Opens messages of a page and adds the customer's name and the order's number: one statement, however many messages there are. */
async function withParties<Row extends NotificationRow>(
  { sql, caller: { accountId } }: Pick<CallContext, "sql" | "caller">,
  rows: RowCodec,
  messages: readonly Row[],
) {
  const parties = new Map<string, { customer: string | null; number: string | null }>();
  const events = [...new Map(messages.map((message) => [message.event_id, message])).values()];
  const found = await readParties(sql, accountId, events, mostNameBytes);
  for (const { id, order_id, number, customer, payload } of found) {
    const text = readValue(rows, payload, "event_payload.payload", id, null);
    parties.set(id, {
      customer: text === null ? customer : customerNameIn(text),
      number: readValue(rows, number, "customer_order.number", order_id ?? id, null),
    });
    if (text !== null) await otherWork();
  }
  const none = { customer: null, number: null };
  const opened = messages.map((row) => ({ ...readMessage(rows, row), ...(parties.get(row.event_id) ?? none) }));
  const nameOf = await readOwnNames(sql, accountId, opened);
  return opened.map((message) => ({ ...message, recipient: nameOf(message, message.customer) }));
}

const readDetail = async (context: CallContext, id: string) => await presentDetail(context, await requireNotification(context, id));

/** @throws TRPCError FORBIDDEN when a role that sees phones masked looks for one. */
async function toAllowedFilter(ctx: CallContext, { search, ...input }: z.output<typeof countScheduledInput>): Promise<ScheduledFilter> {
  requirePhoneSearch(ctx.caller.role, input.phone);
  const filter = toScheduledFilter(ctx.vault, ctx.caller.accountId, input);
  if (search === undefined) return filter;
  const { sql, vault, caller } = ctx;
  const by = { ...caller, sql, rows: await readRowCodec(sql, vault, caller.accountId) };
  const sought = { siteId: input.siteId, search };
  const meant = await readMeaning(by, sought);
  if ("anyId" in meant)
    return { ...filter, found: { ids: [meant.anyId], eventIds: [meant.anyId], phoneHashes: [], words: null, orders: [] } };
  const phoneHashes = meant.phones.map((phone) => vault.fingerprint(optOutKey(caller.accountId, phone)));
  return { ...filter, found: { ids: [], phoneHashes, ...(await readFoundEvents(by, sought)) } };
}

/** How waiting messages are looked for: where the first ones do not do, among the few of an event or a template. */
function waitingOf({ sql, caller: { accountId } }: CallContext, filter: ScheduledFilter): StretchOf<ScheduledFilter> {
  const { from = null, before = null } = filter;
  let few: ReturnType<typeof findFew> | undefined;
  return async (rest) => {
    if (rest.before !== null) filter.ids = (await (few ??= findFew(sql, accountId, filter, { from, before, limit: 0 }))) ?? undefined;
    return { how: filter, readTo: await findScheduledEnd(sql, accountId, filter, rest) };
  };
}

function isScheduledKey(text: string): boolean {
  const [leavesAt = "", id = "", ...more] = text.split(" ");
  return /^\d{1,16}$/.test(leavesAt) && isUuid(id) && more.length === 0;
}

const viewerOf = ({ caller, clock }: { caller: { role: Role }; clock: () => Date }) => ({ role: caller.role, now: clock() });
type Viewer = ReturnType<typeof viewerOf>;

function presentNotification(row: NotificationRow, { role, now }: Viewer) {
  const shown = showColumns(row, role);
  return {
    ...shown,
    /** The platform accepted it and reported nothing more for as long as it keeps trying: it was probably dropped. */
    noNews: hasNoNews({ status: row.status, category: row.category, ttlSeconds: row.ttl_seconds, sentAt: row.sent_at }, now),
    ...presentFailure(row, role),
    /** The reason as data; null where it is none of ours. */
    errorReasonCode: readFailure(row.error_code, shown.errorReason),
    createdAt: new Date(uuidTime(row.id)).toISOString(),
    tries: (row.tries ?? []).map(({ at, code }) => ({ at: new Date(at).toISOString(), code, title: classify({ code }).title })),
  };
}

function presentListed(listed: NotificationRow & Record<"customer" | "number" | "recipient", string | null>, viewer: Viewer) {
  const { customer, number, recipient, ...row } = listed;
  const { role } = viewer;
  const shownName = (name: string | null) => name && (may(role, "seePhones") ? name : maskedText);
  return {
    ...presentNotification(row, viewer),
    /** The customer's name, masked for those who may not see it; null where the payload has none, and once it is gone. */
    customerName: shownName(customer),
    /** Whose the phone is: the customer's name, or that of one of the site's own people; null where it is not known, as of a fixed phone. */
    recipientName: shownName(recipient),
    orderNumber: number && shownNumber(number, [row.to_phone], role),
  };
}

/** The columns of the log by their names in the API. */
const showColumns = (row: NotificationRow, role: Role) =>
  Object.fromEntries(shownColumns.map(({ name, member, holds }) => [member, shownCell(row[name], holds, role)])) as ShownRow;

type ShownRow = { [Name in (typeof shownColumns)[number]["name"] as CamelCase<Name>]: ShownCell<NotificationRow[Name]> };

const shownColumns = notificationColumns.names
  .filter((name) => name !== "category" && name !== "ttl_seconds" && name !== "error_detail")
  .map((name) => ({ name, member: camelCase(name), holds: notificationColumns.all[name].holds }));

/** Adds what was sent and the platform's whole error, both as stored JSON text, and the message's attempts. */
async function presentDetail(context: CallContext, row: NotificationDetailRow) {
  const { sql, vault, caller } = context;
  const viewer = viewerOf(context);
  const rows = await readRowCodec(sql, vault, caller.accountId);
  const [message] = await withParties(context, rows, [{ ...row, error_detail: row.whole_error }]);
  if (message === undefined) throw new Error("one message was opened as none");
  const attempts = await listAttempts(sql, row);
  return {
    ...presentListed(message, viewer),
    components: may(viewer.role, "seePhones") ? readComponents(rows, row) : await hiddenComponents(context, rows, message),
    errorDetail: message.error_detail && shownJson(message.error_detail, viewer.role),
    /** This message and its resends, the oldest first, each as in the list. */
    attempts: attempts.toReversed().map((each) => presentNotification(readMessage(rows, each), viewer)),
  };
}

/** What was sent, without the values of its event's customer; without all values once the event's payload is gone. */
async function hiddenComponents({ sql, caller }: CallContext, rows: RowCodec, row: NotificationDetailRow): Promise<string> {
  const components = parseJson(readComponents(rows, row));
  const event = await findEvent(sql, caller.accountId, row.event_id);
  const payload = event === undefined ? null : readEvent(rows, event).payload;
  const values = payload === null ? textsOf(components) : [...personalValues(payload), row.to_phone];
  return printJson(maskKnownWithin(components, knownValues(values)));
}

/** `error` has the platform's own words, `errorTitle` and `explanation` ours: what went wrong, and what to do. All null where nothing failed. */
function presentFailure(row: NotificationRow, role: Role) {
  const { error_code: code } = row;
  if (code === null) return { error: null, errorTitle: null, explanation: null, resend: null };
  const shown = (text: string | null): string | null => text && shownText(text, role);
  const explanation = explainMessage({ ...row, error_code: code, error_reason: shown(row.error_reason) });
  if (isDropped(row.status)) return { error: null, errorTitle: null, explanation, resend: null };
  const { subcode, title, details, traceId } = readStoredError(row.error_detail);
  return {
    error: { code, subcode, title: shown(title), details: shown(details), traceId },
    errorTitle: titleOf(code),
    explanation,
    /** The likely result of a resend; null once there is one. */
    resend: row.resent_as === null ? resendOutlook({ code, subcode }) : null,
  };
}
