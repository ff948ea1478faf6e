import { deliveryStatuses } from "shared/core/webhook";
import { searchAmong, searchChanger, searchId, type SearchOf, searchReader } from "../../ui/search-params.ts";

const filters = {
  siteId: searchId,
  /** The endpoint. */
  webhookId: searchId,
  /** The message of the deliveries. */
  notificationId: searchId,
  /** The event of the deliveries' messages. */
  eventId: searchId,
  status: searchAmong(deliveryStatuses),
};

export type DeliveryFilters = SearchOf<typeof filters>;

const page = { ...filters, open: searchId };

/** The filters and the open delivery. */
export type WebhooksSearch = SearchOf<typeof page>;
export const readWebhooksSearch = searchReader(page);
export const changeWebhooksSearch = searchChanger(readWebhooksSearch);
