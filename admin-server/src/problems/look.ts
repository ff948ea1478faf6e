import type { AlertSwitches } from "shared/core/alert/alert";
import type { FoundProblem } from "shared/core/problem/problem";
import type { OutcomesRow } from "shared/db/event/log";
import type { PlatformAccountRow } from "shared/db/platform-account";
import type { listStarts } from "shared/db/problem/problem";
import type { SiteStateRow } from "shared/db/site";
import type { AdminContext } from "../context.ts";

/** What one look begins with. */
export interface Look {
  context: Pick<AdminContext, "sql" | "vault" | "clock">;
  accountId: string;
  switches: AlertSwitches;
  /** The problems that are open, and since when those that people resolved count again. */
  known: Awaited<ReturnType<typeof listStarts>>;
}

/** Finds the problems of some kinds. */
export type Find = (look: Look, facts: Facts) => Promise<FoundProblem[]> | FoundProblem[];

/** The facts that several kinds are found in. */
export interface Facts {
  sites: ReadonlyMap<string, SiteStateRow>;
  platform: PlatformAccountRow | undefined;
  /** The newest events of the last week, at most `mostOfSite` a site, by name and outcome. */
  events: readonly OutcomesRow[];
  now: Date;
  mostOfSite: number;
}
