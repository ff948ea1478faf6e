import type { Outputs } from "../../../trpc.ts";

/** How many messages of a day came how far. */
export type Day = Outputs["stats"]["overview"]["days"][number];
