import { listNotificationsInput, resendFilterInput, resendManyInput, resendNotificationInput } from "shared/core/input/log";
import { idInput } from "shared/core/input/values";
import { hasNoNews } from "shared/core/message";
import type { Role } from "shared/core/role";
import { uuidTime } from "shared/core/uuid";
import type { Sql } from "shared/db/connect";
import { findNotification, listNotifications, type NotificationDetailRow, type NotificationRow } from "shared/db/notification/log";
import { isSiteOfAccount } from "shared/db/site";
import { readStoredError, explain, resendOutlook } from "shared/platform/errors/classify";
import { notFound } from "../trpc/errors.ts";
import { readCursor, toPage, toNotificationFilter, toLogPage } from "../trpc/paging.ts";
import { seesPhones, shownJson, shownPhone, shownText } from "../trpc/roles.ts";
import { operatorProcedure, router, viewerProcedure } from "../trpc/trpc.ts";
import { presentResendJob, countResends, readResendJob, resendOne, startResends } from "./resends.ts";

export const notificationsRouter = router({
  list: viewerProcedure.input(listNotificationsInput).query(async ({ ctx, input }) => {
    const page = toLogPage(input, readCursor("notifications", input.cursor), input.limit + 1);
    await requireSite(ctx.sql, ctx.caller.accountId, input.siteId);
    const rows = await listNotifications(ctx.sql, ctx.caller.accountId, toNotificationFilter(input, ctx.caller.role), page);
    const viewer = viewerOf(ctx);
    return toPage(
      "notifications",
      rows,
      input.limit,
      (row) => row.id,
      (row) => presentNotification(row, viewer),
    );
  }),

  get: viewerProcedure.input(idInput).query(async ({ ctx, input }) => {
    const row = await findNotification(ctx.sql, ctx.caller.accountId, input.id);
    if (row === undefined) throw notFound("notification");
    return { notification: presentNotificationDetail(row, viewerOf(ctx)) };
  }),

  resend: operatorProcedure.input(resendNotificationInput).mutation(async ({ ctx, input }) => {
    const row = await resendOne(ctx.sql, ctx.caller.accountId, input, ctx.clock());
    return { notification: presentNotificationDetail(row, viewerOf(ctx)) };
  }),

  resendCount: operatorProcedure.input(resendFilterInput).query(async ({ ctx, input }) => {
    await requireSite(ctx.sql, ctx.caller.accountId, input.siteId);
    return await countResends(ctx.sql, ctx.caller.accountId, input);
  }),

  resendMany: operatorProcedure.input(resendManyInput).mutation(async ({ ctx, input }) => {
    await requireSite(ctx.sql, ctx.caller.accountId, input.siteId);
    return { job: presentResendJob(await startResends(ctx.sql, ctx.caller, input)) };
  }),

  resendJob: operatorProcedure.input(idInput).query(async ({ ctx, input }) => ({
    job: presentResendJob(await readResendJob(ctx.sql, ctx.caller.accountId, input.id)),
  })),
});

async function requireSite(sql: Sql, accountId: string, siteId: string | undefined): Promise<void> {
  if (siteId !== undefined && !(await isSiteOfAccount(sql, accountId, siteId))) throw notFound("site");
}

const viewerOf = ({ caller, clock }: { caller: { role: Viewer["role"] }; clock: () => Date }): Viewer => ({
  role: caller.role,
  now: clock(),
});

interface Viewer {
  role: Role;
  now: Date;
}

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
  /** The platform took it and never said more in all the time that it tries for: it was dropped, as far as can be told. */
  noNews: hasNoNews({ status: row.status, category: row.category, sentAt: row.sent_at }, now),
  attempt: row.attempt,
  /** The platform's ids hold the phone, in a form that is easily read back. */
  waMessageId: seesPhones(role) ? row.wa_message_id : null,
  errorCode: row.error_code,
  errorReason: row.error_reason && shownText(row.error_reason, role),
  ...presentFailure(row, role),
  createdAt: new Date(uuidTime(row.id)).toISOString(),
  sentAt: presentTime(row.sent_at),
  deliveredAt: presentTime(row.delivered_at),
  readAt: presentTime(row.read_at),
  failedAt: presentTime(row.failed_at),
  /** The message that this one repeats, and the one that repeats this. */
  resendOf: row.resend_of,
  resentAs: row.resent_as,
});

/** With what was sent and the platform's whole error, each as the JSON text that is stored. */
const presentNotificationDetail = (row: NotificationDetailRow, viewer: Viewer) => ({
  ...presentNotification({ ...row, error_detail: row.whole_error }, viewer),
  components: shownJson(row.components, viewer.role),
  errorDetail: row.whole_error && shownJson(row.whole_error, viewer.role),
});

/** In plain words what went wrong and what to do, and the platform's own for its support. Null where nothing failed. */
function presentFailure({ error_code: code, error_detail, resent_as }: NotificationRow, role: Role) {
  if (code === null) return { error: null, explanation: null, resend: null };
  const { subcode, title, details, traceId } = readStoredError(error_detail);
  const shown = (text: string | null): string | null => text && shownText(text, role);
  return {
    error: { code, subcode, title: shown(title), details: shown(details), traceId },
    explanation: explain({ code, subcode }),
    /** What a resend would come to; null once there is one. */
    resend: resent_as === null ? resendOutlook({ code, subcode }) : null,
  };
}

const presentTime = (time: Date | null): string | null => time && time.toISOString();
