import { z } from "zod";

/** What every list takes beside its filters. `cursor`: the `nextCursor` of the page before. */
export const listMembers = {
  cursor: z.string().max(500).nullish(),
  limit: z.int().min(1).max(200).default(50),
};

/** A list without filters. An absent input is `{}`. */
export const listInput = z.object(listMembers).prefault({});
