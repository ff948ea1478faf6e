import { notificationStatuses, statusFacts } from "shared/core/message";
import { expect, test, describe } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { niceTicks } from "../../ui/base/bar-chart.tsx";
import { type Counts, dayBounds, reached, series } from "./deliveries-data.ts";

describe("nice ticks", () => {
  test.each(data<[number, number[]][]>("admin-web-pages-home-deliveries-data", "up to the ticks are"))(
    "up to %d the ticks are %j",
    (most, ticks) => {
      expect(niceTicks(most)).toEqual(ticks);
    },
  );
});

describe("day bounds", () => {
  test.each(data<[string, string, string, string][]>("admin-web-pages-home-deliveries-data", "in s at s three days begin at s"))(
    "in %s at %s three days begin at %s",
    (zone, now, from, to) => {
      expect(dayBounds(zone, 3, new Date(now))).toMatchObject({ from, to, before: { to: from } });
    },
  );

  test("the span before is as many days long", () => {
    const { before } = dayBounds("UTC", 7, new Date("2026-11-20T12:00:00Z"));
    expect(before).toEqual({ from: "2026-11-07T00:00:00.000Z", to: "2026-11-14T00:00:00.000Z" });
  });
});

describe("reached", () => {
  const none = Object.fromEntries(notificationStatuses.map((status) => [status, 0])) as Counts;

  test("what was read was delivered, and what was delivered was sent", () => {
    expect(reached({ ...none, queued: 5, sent: 10, delivered: 20, read: 60, failed: 10 })).toEqual(
      data("admin-web-pages-home-deliveries-data", "what was read was delivered, and what was delive"),
    );
  });

  test("of nothing there is no rate", () => {
    expect(reached({ ...none, queued: 3 })).toMatchObject({ sent: 0, deliveryRate: null, readRate: null, failureRate: null });
  });
});

test("the chart has one series for each status that something came of, failures on top", () => {
  expect(series.map(({ label }) => label)).toEqual(["Read", "Delivered, not read", "Sent, not confirmed", "Failed"]);
  const shown = notificationStatuses.filter((status) => ["accepted", "closed"].includes(statusFacts[status].phase));
  expect(new Set(series.map(({ name }) => name))).toEqual(new Set(shown));
});
