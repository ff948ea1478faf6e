import type { AlertSwitches } from "shared/core/alert/alert";
import type { FoundProblem, ProblemKind } from "shared/core/problem/problem";
import { uuidFloor } from "shared/core/uuid";
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

/** The problem of the account that one look finds, as it is known, if it is. */
export const knownOf = ({ known }: Pick<Look, "known">, { kind, siteId, subject }: Pick<FoundProblem, "kind" | "siteId" | "subject">) =>
  known.find((row) => row.kind === kind && row.site_id === siteId && row.subject === subject);

/** The id from which on what is part of a problem counts: what was made before a person resolved it does not. */
export function countedFrom(look: Pick<Look, "known">, kind: ProblemKind, siteId: string | null, subject: string): string {
  const from = knownOf(look, { kind, siteId, subject })?.counted_from;
  return from == null ? "" : uuidFloor(from.getTime());
}

/** The facts that several kinds are found in. */
export interface Facts {
  sites: ReadonlyMap<string, SiteStateRow>;
  platform: PlatformAccountRow | undefined;
  /** The newest events of the last week, at most `mostOfSite` a site, by name and outcome. */
  events: readonly OutcomesRow[];
  now: Date;
  mostOfSite: number;
}
