import { z } from "zod";

const written = z.union(
  [z.iso.datetime({ offset: true }), z.iso.date()],
  "Must be a time such as 2026-11-20T08:00:00Z or a day such as 2026-11-20",
);
const dayLength = "YYYY-MM-DD".length;
const dayMs = 86_400_000;

/**
 * What a list of the log takes to bound it in time: an ISO 8601 time, or a day in UTC. Both ends belong to it, of a day all. As milliseconds since the epoch.
 */
export const timeRangeMembers = {
  from: written.transform((text) => Date.parse(text)).optional(),
  to: written.transform((text) => Date.parse(text) + (text.length === dayLength ? dayMs - 1 : 0)).optional(),
};
