import type { Outputs } from "../../../trpc.ts";

export type MessageDetails = Outputs["notifications"]["get"]["notification"];
