import type { Outputs } from "../../../trpc.ts";

export type EventDetails = Outputs["events"]["get"]["event"];
