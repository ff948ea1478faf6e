import { expect, test } from "vitest";
import { inOrder } from "./order-page.tsx";

test("within a second a message is queued before it is taken, and an event comes before its messages", () => {
  const entries = [
    { at: "2026-11-20T08:00:01.000Z", what: "failed" },
    { at: "2026-11-20T08:00:01.000Z", what: "sent" },
    { at: "2026-11-20T08:00:01.300Z", what: "received" },
    { at: "2026-11-20T08:00:01.310Z", what: "made" },
    { at: "2026-11-20T08:00:00.900Z", what: "read" },
  ] as const;
  expect(inOrder(entries).map(({ what }) => what)).toEqual(["read", "received", "made", "sent", "failed"]);
});
