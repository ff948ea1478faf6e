import type { Outputs } from "../../trpc.ts";

/** Somebody who may sign in to the account. */
export type Member = Outputs["users"]["list"]["items"][number];
