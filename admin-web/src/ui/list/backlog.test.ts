import { expect, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { describeEnd } from "./backlog.tsx";

const backlog = { queued: 1000, due: 1000, scheduled: 0, oldestQueuedSeconds: 0, oldestDueSeconds: 0, perSecond: 20, limitPerSecond: 80 };

test.each(data<[object, string][]>("admin-web-ui-backlog", "j: s"))("%j: %s", (changes, words) =>
  expect(describeEnd({ ...backlog, ...changes })).toBe(words),
);
