import { type DeliveryStatus, deliveryStatuses } from "shared/core/webhook";
import { searchId, searchOneOf } from "../../ui/search-params.ts";

export interface DeliveryFilters {
  siteId?: string | undefined;
  /** The endpoint. */
  webhookId?: string | undefined;
  /** The message that it is about. */
  notificationId?: string | undefined;
  /** The event whose messages it is about. */
  eventId?: string | undefined;
  status?: DeliveryStatus | undefined;
}

/** The filters and the open delivery. */
export interface WebhooksSearch extends DeliveryFilters {
  open?: string | undefined;
}

export const readWebhooksSearch = (search: Record<string, unknown>): WebhooksSearch => ({
  siteId: searchId(search["siteId"]),
  webhookId: searchId(search["webhookId"]),
  notificationId: searchId(search["notificationId"]),
  eventId: searchId(search["eventId"]),
  status: searchOneOf(deliveryStatuses, search["status"]),
  open: searchId(search["open"]),
});

/** Keeps the search parameters except for `changes`; null removes one. */
export const changeWebhooksSearch =
  (changes: { [Name in keyof WebhooksSearch]: string | null }) =>
  (now: Record<string, unknown>): WebhooksSearch =>
    readWebhooksSearch({ ...now, ...changes });
