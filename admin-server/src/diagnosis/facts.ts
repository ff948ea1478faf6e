import { uuidFloor } from "shared/core/uuid";
import { findAccount } from "shared/db/account";
import { type BindingUseRow, listBindingUses } from "shared/db/binding";
import type { Sql } from "shared/db/connect";
import {
  countOutcomesOfEvents,
  countUnreached,
  listLatestTraces,
  listTraces,
  type OutcomesRow,
  type UnreachedRow,
} from "shared/db/event/log";
import { countOfStop, type FailureRow, listFailures, type PresentStop } from "shared/db/notification/failures";
import { readReported, type ReportedRow } from "shared/db/notification/log";
import { countOutcomes, type OutcomeRow } from "shared/db/notification/statistics";
import { findPlatformAccount, type PlatformAccountRow } from "shared/db/platform-account";
import { listSiteStates, type SiteStateRow } from "shared/db/site";
import { readProofs, type SiteProof } from "shared/db/site-proven";
import { listShops, type SiteShop } from "shared/db/site-topic";
import { type BacklogRow, readBacklog } from "shared/db/waiting/list";
import { listWebhooks, type WebhookRow } from "shared/db/webhook/webhook";
import { readRowCodec } from "shared/sealing/account-rows";
import { readValue, type RowCodec } from "shared/secrets/row-codec";
import type { Vault } from "shared/secrets/vault";
import { findSilentSites, type SilentSite } from "./silent-sites.ts";
import { findUnreadable, type Unreadable } from "./unreadable.ts";

/** The account, sites and period of a diagnosis. */
interface Scope {
  accountId: string;
  siteId: string | undefined;
  from: Date;
  to: Date;
  now: Date;
}

/** Everything that findings are made of, read at once in a number of statements that does not grow with the account. */
export interface Facts {
  scope: Scope;
  sites: ReadonlyMap<string, SiteStateRow>;
  platform: PlatformAccountRow | undefined;
  unreadable: readonly Unreadable[];
  /** Messages by site, template, status and error code. */
  outcomes: readonly OutcomeRow[];
  /** Those that failed by the account's present stop. `more`: others of the site may have, too. */
  ofStop: readonly (Omit<OutcomeRow, "status" | "last_day"> & { more: boolean })[];
  /** The newest failed messages, at most `most` of a site; the reason of an empty variable is readable. */
  failures: readonly FailureRow[];
  /** The newest events, at most `most` of a site. */
  events: readonly OutcomesRow[];
  most: number;
  unreached: readonly UnreachedRow[];
  bindings: readonly BindingUseRow[];
  backlog: BacklogRow | undefined;
  endpoints: readonly WebhookRow[];
  silent: readonly SilentSite[];
  proofs: readonly SiteProof[];
  shops: readonly SiteShop[];
  reported: ReportedRow;
  /** The traces among the newest events, at most `mostTraces` of a site. */
  latest: readonly { siteId: string; id: string; trace: string }[];
  mostTraces: number;
  /** Traces of the events of bindings that never fired. */
  traces: readonly string[];
}

/** The most of the sites' newest rows that are read in all; a few of each site are read in any case. */
const mostRows = 20_000;
const fewestOfSite = 100;
const mostOfSite = 2_000;
const mostTracesOfSite = 500;

export async function readFacts({ sql, vault }: { sql: Sql; vault: Vault }, scope: Scope): Promise<Facts | undefined> {
  const { accountId, siteId, now } = scope;
  const [account, rows] = await Promise.all([findAccount(sql, accountId), listSiteStates(sql, accountId, siteId)]);
  if (account === undefined) return undefined;
  const sites = new Map(rows.map((row) => [row.id, row]));
  const most = Math.min(mostOfSite, Math.max(fewestOfSite, Math.floor(mostRows / Math.max(1, sites.size))));
  const mostTraces = Math.min(mostTracesOfSite, most);
  const range = { from: floorOf(scope.from), before: floorOf(scope.to) };
  const filter = { accountId, siteId: siteId ?? null, from: scope.from, to: scope.to, timezone: account.timezone };
  const [platform, unreadable, backlog, endpoints, silent, proofs, shops, codec] = await Promise.all([
    findPlatformAccount(sql, accountId),
    findUnreadable({ sql, vault }, accountId),
    readBacklog(sql, accountId, siteId ?? null),
    listWebhooks(sql, accountId, siteId, { before: null, limit: 1000 }),
    findSilentSites(sql, accountId, now),
    readProofs(sql, accountId, siteId),
    listShops(sql, accountId, siteId, now),
    readRowCodec(sql, vault, accountId),
  ]);
  const stop = stopOf(platform);
  const [outcomes, ofStop, failures, events, unreached, bindings, latest, [reported]] = await Promise.all([
    countOutcomes(sql, filter),
    stop === null ? [] : countOfStop(sql, accountId, siteId, range, stop),
    listFailures(sql, accountId, siteId, range, most, stop),
    countOutcomesOfEvents(sql, accountId, siteId, range, most),
    countUnreached(sql, accountId, { siteId, ...range }),
    listBindingUses(sql, accountId, siteId, range.from),
    listLatestTraces(sql, accountId, siteId, range, mostTraces),
    readReported(sql, accountId, range.from, floorOf(new Date(Math.min(scope.to.getTime(), now.getTime() - hourMs)))),
  ]);
  const held = bindings.filter((binding) => neverFired(binding, scope));
  const asked = held.slice(0, mostTraced).map(({ site_id: of_site, event: of_name }) => ({ of_site, of_name }));
  const traces = asked.length === 0 ? [] : await listTraces(sql, asked, range, tracesEach);
  return {
    scope,
    sites,
    platform,
    unreadable,
    outcomes: outcomes.filter(({ site_id }) => sites.has(site_id)),
    ofStop,
    failures: failures.map((row) => withReason(row, codec)),
    events,
    most,
    unreached,
    bindings,
    backlog,
    endpoints,
    silent: silent.filter((site) => sites.has(site.siteId)),
    proofs,
    shops,
    reported,
    latest: latest.flatMap(({ site_id, id, trace }) => {
      const text = readValue(codec, trace, "event_payload.trace", id, null);
      return text === null ? [] : [{ siteId: site_id, id, trace: text }];
    }),
    mostTraces,
    traces: traces.flatMap(({ id, trace }) => readValue(codec, trace, "event_payload.trace", id, null) ?? []),
  };
}

const withReason = (row: FailureRow, codec: RowCodec): FailureRow => ({
  ...row,
  empty_slots: readValue(codec, row.empty_slots, "notification.error_reason", row.id, null),
});

function stopOf(platform: PlatformAccountRow | undefined): PresentStop | null {
  const { stopped_code: code = null, stopped_at: at = null } = platform ?? {};
  return code === null || at === null ? null : { code, at };
}

const hourMs = 3_600_000;
const mostTraced = 20;
const tracesEach = 10;

/** Whether the binding's event came in the period and it was held back each time. */
export const neverFired = ({ fired_at: fired, held_at: held, last_event_id: last }: BindingUseRow, { from }: Scope): boolean =>
  held !== null && held >= from && last !== null && (fired === null || fired < from);

const floorOf = (at: Date): string => uuidFloor(Math.min(Math.max(at.getTime(), 0), 2 ** 48 - 1));
