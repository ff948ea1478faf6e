import { expect, test } from "vitest";
import { reached } from "./reached.ts";

const none = { queued: 0, sending: 0, sent: 0, failed: 0, delivered: 0, read: 0 };

test("what was read was delivered, and what was delivered was sent", () => {
  expect(reached({ ...none, queued: 5, sent: 10, delivered: 20, read: 60, failed: 10 })).toEqual({
    sent: 90,
    delivered: 80,
    read: 60,
    failed: 10,
    deliveryRate: 0.8,
    readRate: 0.75,
    failureRate: 0.1,
  });
});

test("of nothing there is no rate", () => {
  expect(reached({ ...none, queued: 3 })).toMatchObject({ sent: 0, deliveryRate: null, readRate: null, failureRate: null });
});
