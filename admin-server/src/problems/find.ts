import { alertBounds } from "shared/core/alert/alert";
import { nearShare, peopleOf } from "shared/core/connection-check";
import { hourMs, weekMs } from "shared/core/durations";
import { judgeFailureRate } from "shared/core/problem/failure-rate";
import { type FoundProblem, keyOfProblem, type ProblemDetails, type ProblemKind } from "shared/core/problem/problem";
import { isProofAlert, isProofProblem } from "shared/core/problem/proof";
import { isFailureRateOwn } from "shared/core/problem/rule";
import { explainRefused } from "shared/core/refused";
import { findShopFaults } from "shared/core/sources/shop-fault";
import { uuidFloor } from "shared/core/uuid";
import { listTroubledEndpoints, readRecentOutcomes, readUsualOutcomes } from "shared/db/alert/watch";
import { countOutcomesOfEvents, type OutcomesRow } from "shared/db/event/log";
import { mostUnreported, readReported } from "shared/db/notification/reported";
import { findPlatformAccount } from "shared/db/platform-account";
import { countPeople, findPlatformHealth, hurryHealthCheck } from "shared/db/platform-health";
import { listSiteStates, mostWaiting } from "shared/db/site";
import { listUnproven, readProofs, type SiteProof } from "shared/db/site-proven";
import { listShops } from "shared/db/site-topic";
import { readBacklog } from "shared/db/waiting/list";
import { findBindingFaults } from "./bindings.ts";
import { findFailures, findUnreachedEvents } from "./failures.ts";
import { type Facts, type Find, type Look, countOf, countedFrom, lasting, timeOf } from "./look.ts";
import { findSilent, findUnreadable, platformFinders } from "./platform.ts";

/** The most of the sites' newest rows that a look reads of a kind in all; a few of each site are read in any case. */
const mostRows = 60_000;
const fewestOfSite = 200;
const mostOfSite = 20_000;
const mostEventsOfSite = 2_000;

/** Everything that is wrong with the account, but for its test sites. Each part of it is read by a number of statements that does not grow with the account. */
export async function findProblems(look: Look): Promise<FoundProblem[]> {
  const { context, accountId } = look;
  const { sql, clock } = context;
  const now = clock();
  const states = await listSiteStates(sql, accountId);
  const tests = new Set(states.flatMap(({ id, mode }) => (mode === "test" ? id : [])));
  const sites = new Map(states.flatMap((row) => (row.mode === "live" ? [[row.id, row]] : [])));
  const most = Math.min(mostOfSite, Math.max(fewestOfSite, Math.floor(mostRows / Math.max(1, sites.size))));
  const from = uuidFloor(now.getTime() - weekMs);
  const facts: Facts = {
    sites,
    platform: await findPlatformAccount(sql, accountId),
    events: await countOutcomesOfEvents(sql, accountId, { from, before: null }, Math.min(most, mostEventsOfSite), partsOf(look, from)),
    now,
    mostOfSite: most,
  };
  const failures = await findFailures(look, facts);
  const found: FoundProblem[][] = [failures.problems, await findFailureRate(look, failures.ofHour)];
  for (const find of finders) found.push(await find(look, facts));
  return once(found.flat().filter(({ siteId }) => siteId === null || !tests.has(siteId)));
}

/** Where the week is cut, so that what people have resolved counts anew. */
const partsOf = ({ known }: Look, from: string): string[] =>
  [...new Set(known.flatMap(({ counted_from: at }) => (at === null ? [] : uuidFloor(at.getTime()))))].filter((id) => id > from).toSorted();

/** The problems, each once: a binding may lack something as it stands and have messages that failed. */
function once(found: readonly FoundProblem[]): FoundProblem[] {
  const problems = new Map<string, FoundProblem>();
  for (const problem of found) {
    const key = keyOfProblem(problem);
    const same = problems.get(key);
    if (same === undefined) problems.set(key, problem);
    else if (same.kind === "binding_cannot_send" && problem.kind === "binding_cannot_send") same.detail.problems = problem.detail.problems;
  }
  return [...problems.values()];
}

const finders: readonly Find[] = [
  findOfAccount,
  findOfSites,
  findRefused,
  findSilent,
  findShops,
  findBacklog,
  findEndpoints,
  findUnreadable,
  findMissingCallbacks,
  findNumberLimit,
  ...platformFinders,
  findUnreachedEvents,
  findBindingFaults,
];

/** An account that has bindings but nothing to send with. */
function findOfAccount(look: Look, { sites, platform, events }: Facts): FoundProblem[] {
  const skipped = events.filter(({ chat, test }) => chat === "skipped_no_config" && !test);
  const isAwaited = skipped.length > 0 || [...sites.values()].some(({ bindings }) => bindings > 0);
  if (platform !== undefined || !isAwaited) return [];
  const measure = countOf(skipped, countedFrom(look, "platform_missing", null, ""));
  return [{ kind: "platform_missing", siteId: null, subject: "", detail: {}, ...measure }];
}

/** Sites that refuse their events, hold their messages, or whose events come to nothing. */
function findOfSites(look: Look, { sites, events }: Facts): FoundProblem[] {
  return [...sites.values()].flatMap(
    ({ id: siteId, name, enabled, hold_messages: isHeld, waiting, test_phone, bindings }): FoundProblem[] => {
      const countFor = (kind: ProblemKind, isPart: (row: OutcomesRow) => boolean) =>
        countOf(
          events.filter((row) => row.site_id === siteId && isPart(row)),
          countedFrom(look, kind, siteId, siteId),
        );
      const live = countFor("site_without_bindings", ({ test }) => !test);
      const unphoned = countFor("test_without_phone", ({ test, chat }) => test && chat === "skipped_no_phone");
      const at = { siteId, subject: siteId, detail: { site: name } };
      return [
        ...(enabled ? [] : [{ kind: "site_disabled", ...at, ...lasting } as const]),
        ...(isHeld ? [{ kind: "site_held", ...at, ...lasting, count: waiting, more: waiting >= mostWaiting } as const] : []),
        ...(enabled && bindings === 0 && live.count > 0 ? [{ kind: "site_without_bindings", ...at, ...live } as const] : []),
        ...(test_phone === null && unphoned.count > 0 ? [{ kind: "test_without_phone", ...at, ...unphoned } as const] : []),
      ];
    },
  );
}

/** More failures than usual, unless one of the problems has half of them. */
async function findFailureRate(
  { context: { sql, clock }, accountId, switches, known }: Look,
  ofHour: readonly number[],
): Promise<FoundProblem[]> {
  const recent = await readRecentOutcomes(sql, accountId);
  const days = await readUsualOutcomes(sql, accountId);
  const wasHigh = known.some(({ kind, state }) => kind === "failure_rate" && state !== "resolved");
  const bound = switches.failure_rate.bound ?? alertBounds.failure_rate.usual;
  const { isHigh, rate, usual } = judgeFailureRate(recent, days, bound / 100, wasHigh);
  if (!isHigh || !(wasHigh || isFailureRateOwn(recent.failed, ofHour))) return [];
  const since = new Date(clock().getTime() - hourMs).toISOString();
  const detail = { percent: percentOf(rate), usualPercent: usual === null ? null : percentOf(usual), ...recent, since };
  return [{ kind: "failure_rate", siteId: null, subject: "", detail, ...lasting, count: recent.failed, more: recent.more }];
}

const percentOf = (rate: number): number => Math.round(rate * 100);

async function findRefused({ context: { sql }, accountId, known }: Look): Promise<FoundProblem[]> {
  const open = new Map(known.flatMap((row) => (row.kind === "requests_refused" && row.state !== "resolved" ? [[row.subject, row]] : [])));
  const proofs = await readProofs(sql, accountId);
  const failing = proofs.flatMap((proof): FoundProblem[] => {
    // A site that is being connected shows its first refused request; people are told once it is more than a trial.
    const isAlert = isProofAlert(proof, open.get(proof.siteId)?.alerted === true);
    return isAlert || isProofProblem(proof) ? [{ ...ofProof(proof), isQuiet: !isAlert }] : [];
  });
  // The requests of a problem may be deleted with a person's data, which mends nothing.
  for (const { siteId } of proofs) open.delete(siteId);
  const asked = Array.from(open.values(), ({ subject, detail, last_at }) => ({
    id: subject,
    since: "lastAt" in detail ? detail.lastAt : last_at.toISOString(),
  }));
  for (const id of asked.length === 0 ? [] : await listUnproven(sql, accountId, asked)) {
    const row = open.get(id);
    if (row === undefined) continue;
    const detail = row.detail as ProblemDetails["requests_refused"];
    const { count, more } = detail;
    const at = { siteId: id, subject: id, firstAt: row.first_at, lastAt: row.last_at, isQuiet: !row.alerted };
    failing.push({ kind: "requests_refused", ...at, detail, count, more });
  }
  return failing;
}

function ofProof({ firstSince, lastRefused: lastAt, ...proof }: SiteProof): FoundProblem {
  const { siteId, name, more, because } = proof;
  const { text, action } = explainRefused(because, proof.sourceType, proof.headers, proof.secrets);
  const count = Math.max(proof.since, proof.refused);
  const detail = { name, count, more, because, explanation: { text, action }, lastAt: lastAt.toISOString() };
  return { kind: "requests_refused", siteId, subject: siteId, detail, count, more, firstAt: firstSince ?? lastAt, lastAt };
}

/** Webhooks of shops that post what cannot be read, or that are missing. */
async function findShops({ context: { sql }, accountId }: Look, { now }: Facts): Promise<FoundProblem[]> {
  return (await listShops(sql, accountId, undefined, now)).flatMap(({ siteId, name, ...shop }) =>
    findShopFaults(shop).map((fault): FoundProblem => {
      const at = fault.code === "legacy_api" ? { ...lasting, lastAt: new Date(fault.lastSeenAt) } : lasting;
      const subject = fault.code === "legacy_api" ? fault.code : fault.event;
      return { kind: "shop_fault", siteId, subject, detail: { site: name, sourceType: shop.sourceType, fault }, ...at };
    }),
  );
}

async function findBacklog({ context: { sql }, accountId, switches, known }: Look): Promise<FoundProblem[]> {
  const backlog = await readBacklog(sql, accountId, { siteId: null });
  if (backlog === undefined) return [];
  const minutes = backlog.oldest_due_seconds / 60;
  const bound = switches.backlog.bound ?? alertBounds.backlog.usual;
  const wasLong = known.some(({ kind, state }) => kind === "backlog" && state !== "resolved");
  // The bound is halved for an open problem, so that a backlog near it is not told again and again.
  if (minutes <= (wasLong ? bound / 2 : bound)) return [];
  return [{ kind: "backlog", siteId: null, subject: "", detail: { minutes: Math.floor(minutes) }, ...lasting, count: backlog.queued }];
}

/** An endpoint that fails gets a few attempts before somebody is bothered. */
const patienceSeconds = 600;

async function findEndpoints({ context: { sql }, accountId }: Look): Promise<FoundProblem[]> {
  const rows = await listTroubledEndpoints(sql, accountId, patienceSeconds);
  return rows.map(({ id, url, site_id: siteId, site, because, failing_since: firstAt, number }) => {
    // The rest of the address may be a secret: several at one host are told apart by their number.
    const host = `${new URL(url).host}${number === null ? "" : ` (${number})`}`;
    const at = { siteId, subject: id, ...lasting };
    return because === null
      ? { kind: "endpoint_failing", ...at, firstAt, detail: { site, host } }
      : { kind: "endpoint_disabled", ...at, detail: { host, site, siteId, because } };
  });
}

/** Fewer unreported messages may be those of a few phones that are switched off. */
const fewestUnreported = 3;

async function findMissingCallbacks(look: Look, { platform, now }: Facts): Promise<FoundProblem[]> {
  if (platform === undefined) return [];
  const [weekAgo, until] = [weekMs, hourMs].map((ms) => uuidFloor(now.getTime() - ms)) as [string, string];
  const resolved = countedFrom(look, "callbacks_missing", null, "");
  const [reported] = await readReported(look.context.sql, look.accountId, resolved > weekAgo ? resolved : weekAgo, until);
  const { unreported: count, arrived, first_id, last_id } = reported;
  if (arrived > 0 || count < fewestUnreported) return [];
  const measure = { count, more: count >= mostUnreported, firstAt: timeOf(first_id), lastAt: timeOf(last_id), ofSpan: true };
  return [{ kind: "callbacks_missing", siteId: null, subject: "", detail: {}, ...measure }];
}

/** The limit is read again at most so often. */
const limitSeconds = 600;

async function findNumberLimit({ context: { sql }, accountId }: Look): Promise<FoundProblem[]> {
  const limit = peopleOf((await findPlatformHealth(sql, accountId))?.result?.health.limit ?? null);
  if (limit === null) return [];
  const { reached, more } = await countPeople(sql, accountId, limit);
  if (reached < limit * nearShare) return [];
  await hurryHealthCheck(sql, accountId, limitSeconds, reached >= limit);
  return [{ kind: "number_limit", siteId: null, subject: "", detail: { reached, more, limit }, ...lasting }];
}
