import { expect, test } from "vitest";
import { describeEnd } from "./backlog.tsx";

const backlog = { queued: 1000, due: 1000, scheduled: 0, oldestQueuedSeconds: 0, oldestDueSeconds: 0, perSecond: 20, limitPerSecond: 80 };

test.each([
  [{}, "At this pace the queue is empty in about 50 seconds."],
  [{ queued: 1 }, "At this pace the queue is empty in about 1 second."],
  [{ queued: 72_000 }, "At this pace the queue is empty in about 1 hour."],
  [{ due: 0, perSecond: 0 }, "Nothing in the queue is due now: it is tried again later."],
  [{ perSecond: 0 }, "Nothing was sent in the last 10 seconds."],
  [{ perSecond: 0, oldestDueSeconds: 150 }, "Nothing was sent in the last 10 seconds. The oldest message has waited for 3 minutes."],
])("%j: %s", (changes, words) => expect(describeEnd({ ...backlog, ...changes })).toBe(words));
