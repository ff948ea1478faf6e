import { isProofProblem } from "shared/core/alert/proof";
import type { Finding } from "shared/core/diagnosis";
import { explainRefused } from "shared/core/refused";
import { findShopFaults } from "shared/core/sources/shop-fault";
import { uuidTime } from "shared/core/uuid";
import { mostWaiting } from "shared/db/site";
import type { SiteProof } from "shared/db/site-proven";
import { mostDue } from "shared/db/waiting/list";
import { titleOf } from "shared/platform/errors/classify";
import type { Facts } from "./facts.ts";

/** Faults that last until somebody acts, whether or not they have cost a message yet. */
export const findStandingFaults = (facts: Facts): Finding[] => [
  ...platformFaults(facts),
  ...facts.unreadable.flatMap((fault): Finding[] => {
    const site = fault.siteId === null ? null : { id: fault.siteId, name: fault.name };
    if (site !== null && !facts.sites.has(site.id)) return [];
    const place =
      site !== null ? ({ kind: "site", id: site.id } as const) : ({ kind: fault.kind === "dataKey" ? "general" : "platform" } as const);
    return [{ code: "secret_unreadable", of: fault.kind, ...standing, site, place }];
  }),
  ...siteFaults(facts),
  ...facts.proofs.filter(isProofProblem).map((proof): Finding => {
    const { siteId: id, name, because } = proof;
    const place = { kind: "site", id } as const;
    return { code: "requests_refused", because, ...standing, ...measureRefused(proof), site: { id, name }, place };
  }),
  ...facts.shops.flatMap(({ siteId: id, name, ...shop }) =>
    findShopFaults(shop).map((fault): Finding => {
      const lastAt = fault.code === "legacy_api" ? fault.lastSeenAt : null;
      return {
        code: "shop_fault",
        sourceType: shop.sourceType,
        fault,
        ...standing,
        lastAt,
        site: { id, name },
        place: { kind: "site", id },
      };
    }),
  ),
  ...callbackFaults(facts),
  ...backlogFaults(facts),
  ...endpointFaults(facts),
  ...facts.silent.map(({ siteId, name, sourceType, lastEventAt, longestPauseHours }): Finding => {
    const site = { id: siteId, name };
    const place = { kind: "site", id: siteId } as const;
    return { code: "site_silent", sourceType, lastEventAt, longestPauseHours, ...standing, lastAt: lastEventAt, site, place };
  }),
];

/** The refused requests that a finding or an alert tells of, and why they are refused. */
export function measureRefused({ since, refused, more, lastRefused, because, sourceType, headers, secrets }: SiteProof) {
  const { text, action } = explainRefused(because, sourceType, Object.keys(headers), secrets);
  return { count: Math.max(since, refused), more, lastAt: lastRefused.toISOString(), explanation: { text, action } };
}

const standing = { count: 0, more: false, share: null, lastAt: null } as const;

function platformFaults({ platform, ofStop, events, most }: Facts): Finding[] {
  const place = { kind: "platform" } as const;
  if (platform === undefined) {
    const skipped = events.filter(({ chat, test }) => chat === "skipped_no_config" && !test);
    const count = sum(skipped.map((event) => event.count));
    const last = skipped
      .map(({ last_event_id: id }) => id)
      .toSorted()
      .at(-1);
    return [{ code: "platform_missing", ...standing, count, more: count >= most, lastAt: timeOf(last), site: null, place }];
  }
  const { stopped_code: errorCode, stopped_at } = platform;
  if (errorCode === null) return [];
  const lost = { count: sum(ofStop.map(({ count }) => count)), more: ofStop.some(({ more }) => more) };
  const title = titleOf(errorCode);
  const lastAt = stopped_at?.toISOString() ?? null;
  return [{ code: "platform_stopped", errorCode, title, ...standing, ...lost, lastAt, site: null, place }];
}

/** Sites that refuse events, or whose messages wait. */
function siteFaults({ sites, outcomes }: Facts): Finding[] {
  return [...sites.values()].flatMap(({ id, name, enabled, hold_messages: isHeld, waiting }): Finding[] => {
    const site = { id, name };
    const count = sum(outcomes.filter((row) => row.site_id === id && row.error_code === "site_disabled").map((row) => row.count));
    const held = { ...standing, count: waiting, more: waiting >= mostWaiting, site };
    return [
      ...(enabled ? [] : [{ code: "site_disabled", ...standing, count, site, place: { kind: "site", id } } as const]),
      ...(isHeld ? [{ code: "site_held", ...held, place: { kind: "scheduled", filter: { siteId: id } } } as const] : []),
    ];
  });
}

/** Fewer unreported messages may be those of a few phones that are switched off. */
const fewestUnreported = 3;

function callbackFaults({ platform, reported }: Facts): Finding[] {
  if (platform === undefined || reported.arrived > 0 || reported.unreported < fewestUnreported) return [];
  const lastAt = timeOf(reported.last_unreported);
  const { last_callback_at: callback } = reported;
  if (callback !== null && lastAt !== null && callback.toISOString() > lastAt) return [];
  return [
    { code: "callbacks_missing", ...standing, count: reported.unreported, more: true, lastAt, site: null, place: { kind: "platform" } },
  ];
}

const longestQueueSeconds = 600;

function backlogFaults({ backlog }: Facts): Finding[] {
  if (backlog === undefined || backlog.oldest_due_seconds < longestQueueSeconds) return [];
  const { oldest_due_seconds: seconds, due: count } = backlog;
  return [{ code: "backlog_old", seconds, ...standing, count, more: count >= mostDue, site: null, place: { kind: "general" } }];
}

/** An endpoint that fails gets a few attempts before somebody is bothered. */
const patienceMs = 600_000;

function endpointFaults({ endpoints, sites, scope }: Facts): Finding[] {
  return endpoints.flatMap(({ site_id: id, url, disabled_because: because, failing_since: since }): Finding[] => {
    const site = { id, name: sites.get(id)?.name ?? "" };
    const place = { kind: "site", id } as const;
    if (because !== null) return [{ code: "endpoint_off", url, because, ...standing, site, place }];
    if (since === null || scope.now.getTime() - since.getTime() < patienceMs) return [];
    return [{ code: "endpoint_failing", url, since: since.toISOString(), ...standing, lastAt: since.toISOString(), site, place }];
  });
}

export const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** When an id was made. */
export const timeOf = (id: string | null | undefined): string | null => (id == null ? null : new Date(uuidTime(id)).toISOString());
