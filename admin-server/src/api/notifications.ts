import { listNotificationsInput, resendFilterInput, resendManyInput, resendNotificationInput } from "shared/core/input/log";
import { idInput } from "shared/core/input/values";
import { hasNoNews } from "shared/core/message";
import type { Role } from "shared/core/role";
import { uuidTime } from "shared/core/uuid";
import { findNotification, listNotifications, type NotificationDetailRow, type NotificationRow } from "shared/db/notification/log";
import { readStoredError, explain, resendOutlook } from "shared/platform/errors/classify";
import { readRowCodec } from "shared/sealing/account-rows";
import { readComponents, readMessage } from "shared/sealing/stored-rows";
import type { RowCodec } from "shared/secrets/row-codec";
import { notFound } from "../trpc/errors.ts";
import { readPage, requireSite, toLogPage, toNotificationFilter } from "../trpc/paging.ts";
import { may, shownJson, shownPhone, shownText } from "../trpc/roles.ts";
import { operatorProcedure, router, viewerProcedure } from "../trpc/trpc.ts";
import { presentResendJob, countResends, readResendJob, resendOne, startResends } from "./resends.ts";

export const notificationsRouter = router({
  list: viewerProcedure.input(listNotificationsInput).query(({ ctx, input }) => {
    const { accountId, role } = ctx.caller;
    const viewer = viewerOf(ctx);
    return readPage(
      "notifications",
      input,
      async (page) => {
        await requireSite(ctx.sql, accountId, input.siteId);
        const rows = await readRowCodec(ctx.sql, ctx.vault, accountId);
        const stored = await listNotifications(ctx.sql, accountId, toNotificationFilter(input, role, rows), toLogPage(input, page));
        return stored.map((row) => readMessage(rows, row));
      },
      (row) => presentNotification(row, viewer),
    );
  }),

  get: viewerProcedure.input(idInput).query(async ({ ctx, input }) => {
    const row = await findNotification(ctx.sql, ctx.caller.accountId, input.id);
    if (row === undefined) throw notFound("notification");
    const rows = await readRowCodec(ctx.sql, ctx.vault, ctx.caller.accountId);
    return { notification: presentNotificationDetail(rows, row, viewerOf(ctx)) };
  }),

  resend: operatorProcedure.input(resendNotificationInput).mutation(async ({ ctx, input }) => {
    const row = await resendOne(ctx, ctx.caller.accountId, input);
    const rows = await readRowCodec(ctx.sql, ctx.vault, ctx.caller.accountId);
    return { notification: presentNotificationDetail(rows, row, viewerOf(ctx)) };
  }),

  resendCount: operatorProcedure.input(resendFilterInput).query(async ({ ctx, input }) => {
    await requireSite(ctx.sql, ctx.caller.accountId, input.siteId);
    return await countResends(ctx, ctx.caller.accountId, input);
  }),

  resendMany: operatorProcedure.input(resendManyInput).mutation(async ({ ctx, input }) => {
    await requireSite(ctx.sql, ctx.caller.accountId, input.siteId);
    return { job: presentResendJob(await startResends(ctx, ctx.caller, input)) };
  }),

  resendJob: operatorProcedure.input(idInput).query(async ({ ctx, input }) => ({
    job: presentResendJob(await readResendJob(ctx.sql, ctx.caller.accountId, input.id)),
  })),
});

interface Viewer {
  role: Role;
  now: Date;
}

const viewerOf = ({ caller, clock }: { caller: { role: Role }; clock: () => Date }): Viewer => ({ role: caller.role, now: clock() });

const presentNotification = (row: NotificationRow, { role, now }: Viewer) => ({
  id: row.id,
  eventId: row.event_id,
  event: shownText(row.event, role),
  siteId: row.site_id,
  bindingId: row.binding_id,
  templateId: row.template_id,
  template: row.template,
  language: row.language,
  toPhone: shownPhone(row.to_phone, role),
  status: row.status,
  /** The platform accepted it and reported nothing more for as long as it keeps trying: it was probably dropped. */
  noNews: hasNoNews({ status: row.status, category: row.category, sentAt: row.sent_at }, now),
  attempt: row.attempt,
  /** The platform's id contains the recipient's phone, lightly encoded. */
  waMessageId: may(role, "seePhones") ? row.wa_message_id : null,
  errorCode: row.error_code,
  errorReason: row.error_reason && shownText(row.error_reason, role),
  ...presentFailure(row, role),
  createdAt: new Date(uuidTime(row.id)).toISOString(),
  sentAt: presentTime(row.sent_at),
  deliveredAt: presentTime(row.delivered_at),
  readAt: presentTime(row.read_at),
  failedAt: presentTime(row.failed_at),
  /** `resendOf`: the message that this one repeats. `resentAs`: the one that repeats this. */
  resendOf: row.resend_of,
  resentAs: row.resent_as,
});

/** Adds what was sent and the platform's whole error, both as stored JSON text. */
function presentNotificationDetail(rows: RowCodec, row: NotificationDetailRow, viewer: Viewer) {
  const message = readMessage(rows, { ...row, error_detail: row.whole_error });
  return {
    ...presentNotification(message, viewer),
    components: shownJson(readComponents(rows, row), viewer.role),
    errorDetail: message.error_detail && shownJson(message.error_detail, viewer.role),
  };
}

/** `error` has the platform's own words, `explanation` ours: what went wrong and what to do. All null where nothing failed. */
function presentFailure({ error_code: code, error_detail, resent_as }: NotificationRow, role: Role) {
  if (code === null) return { error: null, explanation: null, resend: null };
  const { subcode, title, details, traceId } = readStoredError(error_detail);
  const shown = (text: string | null): string | null => text && shownText(text, role);
  return {
    error: { code, subcode, title: shown(title), details: shown(details), traceId },
    explanation: explain({ code, subcode }),
    /** What a resend would achieve; null once there is one. */
    resend: resent_as === null ? resendOutlook({ code, subcode }) : null,
  };
}

const presentTime = (time: Date | null): string | null => time && time.toISOString();
