import { notificationFilterInput } from "shared/core/input/log";
import type { Role } from "shared/core/role";
import { uuidTime } from "shared/core/uuid";
import { listNotifications, type NotificationRow } from "shared/db/notification/log";
import { isSiteOfAccount } from "shared/db/site";
import type { z } from "zod";
import { toNotificationFilter } from "../../log-filter.ts";
import { toLogPage } from "../../log-page.ts";
import { notFound } from "../../trpc/refusals.ts";
import { seesPhones, shownPhone, shownText } from "../../trpc/shown-phone.ts";
import type { CsvExport } from "./csv-route.ts";

const pageSize = 500;

const columns = ["id", "time", "site", "event", "event_id", "template", "language", "phone", "status"] as const;
const more = ["message_id", "error_code", "error_reason", "sent", "delivered", "read", "failed", "resend_of"] as const;

/** The log of messages, newest first. */
export const notificationsCsv: CsvExport<z.output<typeof notificationFilterInput>> = {
  name: "notifications.csv",
  needed: "viewer",
  input: notificationFilterInput,
  columns: [...columns, ...more],
  async *rows({ sql }, { accountId, role }, input) {
    const filter = toNotificationFilter(input, role);
    if (filter.siteId !== undefined && !(await isSiteOfAccount(sql, accountId, filter.siteId))) throw notFound("site");
    let before: string | null = null;
    do {
      const page: NotificationRow[] = await listNotifications(sql, accountId, filter, toLogPage(input, before, pageSize));
      yield* page.map((row) => toRecord(row, role));
      before = page.length === pageSize ? (page.at(-1)?.id ?? null) : null;
    } while (before !== null);
  },
};

const toRecord = (row: NotificationRow, role: Role) => [
  row.id,
  new Date(uuidTime(row.id)).toISOString(),
  row.site_id,
  shownText(row.event, role),
  row.event_id,
  row.template,
  row.language,
  shownPhone(row.to_phone, role),
  row.status,
  seesPhones(role) ? row.wa_message_id : null,
  row.error_code,
  row.error_reason && shownText(row.error_reason, role),
  toText(row.sent_at),
  toText(row.delivered_at),
  toText(row.read_at),
  toText(row.failed_at),
  row.resend_of,
];

const toText = (time: Date | null): string | null => time && time.toISOString();
