import { expect, test } from "vitest";
import { changeWebhooksSearch, readWebhooksSearch } from "./route.ts";

const id = "01890000-0000-7000-8000-000000000001";
const nothing = {
  siteId: undefined,
  webhookId: undefined,
  notificationId: undefined,
  eventId: undefined,
  status: undefined,
  open: undefined,
};

test("filters of the address that are none are left out", () => {
  expect(readWebhooksSearch({ siteId: "x", webhookId: id, status: "lost", open: 7, more: "y" })).toEqual({ ...nothing, webhookId: id });
});

test("a change keeps the other filters, and null takes one away", () => {
  expect(changeWebhooksSearch({ status: "failed", webhookId: null })({ webhookId: id, open: id })).toEqual({
    ...nothing,
    status: "failed",
    open: id,
  });
});
