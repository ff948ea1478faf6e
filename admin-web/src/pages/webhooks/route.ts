import { deliveryStatuses } from "shared/core/webhook";
import { searchAmong, searchChanger, searchId, type SearchOf, searchReader } from "../../ui/search-params.ts";

const filters = {
  siteId: searchId,
  /** The endpoint. */
  webhookId: searchId,
  /** The message that it is about. */
  notificationId: searchId,
  /** The event whose messages it is about. */
  eventId: searchId,
  status: searchAmong(deliveryStatuses),
};

export type DeliveryFilters = SearchOf<typeof filters>;

/** The filters and the open delivery. */
export const readWebhooksSearch = searchReader({ ...filters, open: searchId });
export const changeWebhooksSearch = searchChanger(readWebhooksSearch);
