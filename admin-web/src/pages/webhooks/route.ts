import { deliveryStatuses, webhookTypes } from "shared/core/webhook";
import { searchAmong, searchDayOrTime, searchId, type SearchOf, searchReader, searchText } from "../../ui/list/search-params.ts";

const filters = {
  siteId: searchId,
  /** The endpoint. */
  webhookId: searchId,
  /** The message of the deliveries. */
  notificationId: searchId,
  /** The event of the deliveries' messages. */
  eventId: searchId,
  /** The operation that retried them. */
  operationId: searchId,
  status: searchAmong(deliveryStatuses),
  type: searchAmong(webhookTypes),
  search: searchText,
  from: searchDayOrTime,
  to: searchDayOrTime,
};

export type DeliveryFilters = SearchOf<typeof filters>;

export const readWebhooksSearch = searchReader({
  ...filters,
  open: searchId,
  tab: searchAmong(["deliveries", "endpoints", "new-endpoint"]),
});
/** The filters and the open delivery. */
export type WebhooksSearch = ReturnType<typeof readWebhooksSearch>;
