import type { Outputs } from "../../../trpc.ts";

/** A request to forget somebody. */
export type Erasure = Outputs["people"]["erasures"]["items"][number];
