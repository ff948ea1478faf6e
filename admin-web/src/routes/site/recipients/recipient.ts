import type { Outputs } from "../../../trpc.ts";

export type Recipient = Outputs["recipients"]["list"]["items"][number];
