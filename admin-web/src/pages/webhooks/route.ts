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

/** The filters and the open delivery. */
export const readWebhooksSearch = searchReader({ ...filters, open: searchId });
export const changeWebhooksSearch = searchChanger(readWebhooksSearch);
