import type { Outputs } from "../../trpc.ts";

export type Site = Outputs["sites"]["get"]["site"];

/** One of the site's keys and webhook secrets that count at present. */
export type SiteSecret = Outputs["sites"]["get"]["secrets"][number];
