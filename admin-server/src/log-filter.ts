import type { notificationFilterInput } from "shared/core/input/log";
import { readLogSearch } from "shared/core/message";
import type { Role } from "shared/core/role";
import type { NotificationFilter } from "shared/db/notification/log";
import type { z } from "zod";
import { requirePhoneSearch } from "./trpc/shown-phone.ts";

/** What the log of messages is looked through for. Refuses whoever may not see phones to look one up. */
export function toNotificationFilter(input: z.output<typeof notificationFilterInput>, role: Role): NotificationFilter {
  const { siteId, eventId, status, event, phone, template, waMessageId, errorCode, search } = input;
  const filter = { siteId, eventId, status, event, phone, template, waMessageId, errorCode };
  const searched: Pick<NotificationFilter, "anyId" | "phone" | "waMessageId"> = search === undefined ? {} : readLogSearch(search);
  requirePhoneSearch(role, phone ?? searched.phone);
  return { ...filter, ...searched };
}
