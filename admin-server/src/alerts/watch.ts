import { alertKinds, type AlertKind, type AlertSwitches, type Condition } from "shared/core/alert/alert";
import { judgeFailureRate } from "shared/core/alert/failure-rate";
import { isProofAlert } from "shared/core/alert/proof";
import { maskPhonesIn } from "shared/core/mask";
import { windowEnd } from "shared/core/schedule/window";
import { clearAlerts, listCurrent, raiseAlerts, type AlertRow } from "shared/db/alert/alert";
import { noteCleared, noteRaised, withdrawNotices } from "shared/db/alert/notice";
import {
  listDisabledEndpoints,
  listRefusedTemplates,
  readRecentOutcomes,
  readUsualOutcomes,
  alertSwitchesOf,
  type AlertWatchRow,
  nextLook,
  watches,
  watchNewAccounts,
} from "shared/db/alert/watch";
import { type Lease, workOnDue } from "shared/db/owned";
import { findPlatformAccount } from "shared/db/platform-account";
import { listUnproven, readProofs } from "shared/db/site-proven";
import { inTransaction } from "shared/db/transaction";
import { readOldestDue } from "shared/db/waiting/list";
import type { AdminContext } from "../context.ts";
import { findSilentSites } from "../diagnosis/silent-sites.ts";
import { measureRefused } from "../diagnosis/standing.ts";
import { findUnreadable } from "../diagnosis/unreadable.ts";
import { oneLine } from "../mail/letter.ts";
import { tellDue } from "./tell.ts";

export interface AlertingTimes {
  /** Between two looks for accounts that are due, in milliseconds. */
  tickMs: number;
  /** Seconds between two looks at an account, if somebody is told of its alerts, and if nobody is. */
  told: number;
  untold: number;
  /** Seconds after which another server may look. */
  lease: number;
}

export const defaultAlertingTimes: AlertingTimes = { tickMs: 5_000, told: 60, untold: 600, lease: 60 };

export type AlertingContext = Pick<AdminContext, "sql" | "vault" | "config" | "clock" | "log" | "stopping">;

/** Looks at the accounts that are due, each at one server at a time. */
export async function watchAccounts(context: AlertingContext, times: AlertingTimes): Promise<void> {
  const { sql, log, stopping } = context;
  await watchNewAccounts(sql);
  const work = async (watch: AlertWatchRow, lease: Lease): Promise<void> => {
    try {
      await lookAt(context, watch, lease);
    } catch (error) {
      log.warn({ err: error, accountId: watch.account_id }, "an account could not be looked at for alerts and will be again");
    }
    await watches.release(sql, watch.account_id, lease, nextLook(sql, times));
  };
  while (!stopping.aborted && (await workOnDue(sql, { ...watches, seconds: times.lease }, work)));
}

/** Stores the conditions and the notices in one transaction: a server that dies tells nothing twice and forgets nothing. */
async function lookAt(context: AlertingContext, watch: AlertWatchRow, lease: Lease): Promise<void> {
  const { account_id: accountId } = watch;
  const switches = alertSwitchesOf(watch);
  const [on, off] = [alertKinds.filter((kind) => switches[kind].enabled), alertKinds.filter((kind) => !switches[kind].enabled)];
  const conditions = await findConditions({ context, accountId, switches, current: await listCurrent(context.sql, accountId) });
  const now = context.clock().getTime();
  const quietUntil = watch.quiet_hours === null ? null : windowEnd(watch.quiet_hours, watch.timezone, now);
  const urgent: AlertKind[] = watch.urgent_always ? ["platform_stopped"] : [];
  const times = { quietUntil: quietUntil === null ? null : new Date(quietUntil), urgent };
  await inTransaction(context.sql, async (sql) => {
    // Another server has taken the look over.
    if (!(await watches.extend(sql, accountId, lease))) return;
    const raised = await raiseAlerts(sql, accountId, conditions);
    const cleared = await clearAlerts(sql, accountId, on, conditions);
    await noteRaised(sql, accountId, idsOf(raised), times);
    await noteCleared(sql, idsOf(cleared), times);
    // Conditions that are switched off end without a notice.
    await withdrawNotices(sql, idsOf(await clearAlerts(sql, accountId, off, [])));
    await tellDue({ ...context, sql }, accountId);
  });
}

const idsOf = (alerts: readonly { id: string }[]): string[] => alerts.map(({ id }) => id);

/** The input of one look. */
interface Look {
  context: Pick<AdminContext, "sql" | "vault" | "clock">;
  accountId: string;
  switches: AlertSwitches;
  /** The alerts that are open: a condition must be clearly better before its alert ends. */
  current: readonly AlertRow[];
}

/** The faults of the account, of the kinds that are switched on. */
async function findConditions(look: Look): Promise<Condition[]> {
  const found: Condition[] = [];
  for (const [kind, find] of Object.entries(finders) as [AlertKind, Find][]) {
    if (look.switches[kind].enabled) found.push(...(await find(look)));
  }
  return found;
}

type Find = (look: Look) => Promise<Condition[]>;

const finders: Record<AlertKind, Find> = {
  platform_stopped: async ({ context: { sql }, accountId }) => {
    const platform = await findPlatformAccount(sql, accountId);
    if (platform === undefined || platform.stopped_code === null) return [];
    const { stopped_code: code, stopped_reason: reason } = platform;
    return [{ kind: "platform_stopped", subject: "", detail: { code, reason: platformWords(reason ?? "") } }];
  },

  template_refused: async ({ context: { sql }, accountId }) =>
    (await listRefusedTemplates(sql, accountId)).map(({ id, name, language, status, reason }) => ({
      kind: "template_refused",
      subject: id,
      detail: { name, language, status, reason: reason === null ? null : platformWords(reason) },
    })),

  failure_rate: async ({ context: { sql }, accountId, switches, current }) => {
    const recent = await readRecentOutcomes(sql, accountId);
    const days = await readUsualOutcomes(sql, accountId);
    const wasHigh = current.some(({ kind }) => kind === "failure_rate");
    const { isHigh, rate, usual } = judgeFailureRate(recent, days, (switches.failure_rate.bound ?? 0) / 100, wasHigh);
    if (!isHigh) return [];
    const usualPercent = usual === null ? null : percentOf(usual);
    return [{ kind: "failure_rate", subject: "", detail: { percent: percentOf(rate), usualPercent, ...recent } }];
  },

  site_silent: async ({ context: { sql, clock }, accountId }) =>
    (await findSilentSites(sql, accountId, clock())).map(({ siteId, name, lastEventAt }) => ({
      kind: "site_silent",
      subject: siteId,
      detail: { name: told(name), lastEventAt },
    })),

  backlog: async ({ context: { sql }, accountId, switches, current }) => {
    const minutes = (await readOldestDue(sql, accountId)) / 60;
    const bound = switches.backlog.bound ?? 0;
    const wasLong = current.some(({ kind }) => kind === "backlog");
    // The bound is halved for an open alert, so that a backlog near it is not told again and again.
    if (minutes <= (wasLong ? bound / 2 : bound)) return [];
    return [{ kind: "backlog", subject: "", detail: { minutes: Math.floor(minutes) } }];
  },

  endpoint_disabled: async ({ context: { sql }, accountId }) =>
    (await listDisabledEndpoints(sql, accountId)).map(({ id, url, site_id: siteId, site, because }) => ({
      kind: "endpoint_disabled",
      subject: id,
      // The rest of the address may be a secret.
      detail: { host: new URL(url).host, site: told(site), siteId, because },
    })),

  secret_unreadable: async ({ context, accountId }) =>
    (await findUnreadable(context, accountId)).map(({ kind, siteId, name }) => ({
      kind: "secret_unreadable",
      subject: siteId ?? kind,
      detail: { of: kind, name: name === null ? null : told(name) },
    })),

  requests_refused: findRefused,
};

type RefusedAlert = Extract<Condition, { kind: "requests_refused" }>;

async function findRefused({ context: { sql }, accountId, current }: Look): Promise<RefusedAlert[]> {
  const open = new Map(current.flatMap((alert) => (alert.kind === "requests_refused" ? [[alert.subject, alert as RefusedAlert]] : [])));
  const proofs = await readProofs(sql, accountId);
  const failing = proofs.filter((proof) => isProofAlert(proof, open.has(proof.siteId)));
  // The requests of an alert may be deleted with a person's data, which mends nothing.
  for (const { siteId } of proofs) open.delete(siteId);
  const asked = Array.from(open.values(), ({ subject, detail }) => ({ id: subject, since: detail.lastAt }));
  const unproven = asked.length === 0 ? [] : await listUnproven(sql, accountId, asked);
  return [
    ...failing.map((proof): RefusedAlert => {
      const detail = { name: told(proof.name), because: proof.because, ...measureRefused(proof) };
      return { kind: "requests_refused", subject: proof.siteId, detail };
    }),
    ...unproven.flatMap((id) => open.get(id) ?? []),
  ];
}

const percentOf = (rate: number): number => Math.round(rate * 100);

const longestText = 300;

/** A text of people or of the platform in the form in which it may leave: in one line, and without phones. */
const told = (text: string): string => maskPhonesIn(oneLine(text)).slice(0, longestText);

/** The platform repeats text that it refuses, so its words may contain a token. */
const platformWords = (text: string): string => told(text.replaceAll(/[\w.-]{24,}/g, "•••"));
