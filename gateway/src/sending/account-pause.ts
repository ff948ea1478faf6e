import { freeNumber, limitNumber, pauseSeconds, resumeAccount, stopAccount, takeNumberProbe, takeProbe } from "shared/db/platform-account";
import { retryCollisions } from "shared/db/statement";
import { type GatewayContext, inTime } from "../context.ts";
import type { SiteConfig } from "../sites/sites.ts";

/** The sending state of an account or its number: all messages, one message to see whether the platform takes any again, or none. */
export type PauseState = "none" | "probe" | "paused";

/** What the platform refuses to take messages from: the whole account, or its number for now. */
export type Paused = "account" | "number";

/**
 * Keeps an account or a number from which the platform takes nothing from being hammered. The pause is a row that bumps the account's configuration, so every
 * gateway sees it with its next event. The dashboard ends that of an account in the same way. Its settings are saved from the account's row on, the pause
 * goes up to that row: of two that meet, either gives way and is written again.
 */
export type AccountPause = ReturnType<typeof createAccountPause>;

const numberOf = (site: SiteConfig): string => site.platform?.credentials.phoneNumberId ?? "";
const keyOf = (of: Paused, site: SiteConfig): string => (of === "account" ? site.accountId : `number ${numberOf(site)}`);

export function createAccountPause(context: GatewayContext) {
  const { sql, clock, log } = context;
  // The latest news of this process, for events that were planned before the row changed.
  const remembered = new Map<string, { version: bigint; paused: boolean; until: number }>();

  const remember = (of: Paused, site: SiteConfig, paused: boolean): void => {
    const [version, until] = [BigInt(site.accountVersion), clock.monotonic() + pauseSeconds * 1000];
    remembered.set(keyOf(of, site), { version, paused, until });
  };
  const newerThan = (of: Paused, site: SiteConfig): { paused: boolean } | null => {
    const known = remembered.get(keyOf(of, site));
    if (!known || known.version < BigInt(site.accountVersion)) return null;
    if (clock.monotonic() < known.until) return known;
    remembered.delete(keyOf(of, site));
    return null;
  };

  /** Never throws: the event is stored already, and its messages must not stay `sending` because the database is away. */
  const tryProbe = async (of: Paused, site: SiteConfig): Promise<boolean> => {
    try {
      const take = of === "account" ? takeProbe : takeNumberProbe;
      return await inTime(context, take(sql, of === "account" ? site.accountId : numberOf(site)));
    } catch (error) {
      log.warn({ err: error, accountId: site.accountId }, "could not ask for the probe of a stopped account");
      return false;
    }
  };

  return {
    /** Answers at once where nothing is paused. */
    state(site: SiteConfig, of: Paused = "account"): PauseState | Promise<Exclude<PauseState, "none">> {
      const known = newerThan(of, site);
      if (known) return known.paused ? "paused" : "none";
      const stop = of === "account" ? site.platform?.stopped : site.platform?.limited;
      if (!stop) return "none";
      if (clock.monotonic() < stop.probeAt) return "paused";
      return tryProbe(of, site).then((isOurs) => (isOurs ? "probe" : "paused"));
    },
    async stop(site: SiteConfig, error: { code: string; reason: string }, of: Paused = "account"): Promise<void> {
      if (!site.platform || newerThan(of, site)?.paused) return;
      remember(of, site, true);
      log.warn({ accountId: site.accountId, code: error.code }, `the platform refuses the ${of}; its messages pause`);
      const account = { accountId: site.accountId, phoneNumberId: numberOf(site), accessTokenRecord: site.platform.accessTokenRecord };
      const write = async () => (of === "account" ? await stopAccount(sql, account, error) : await limitNumber(sql, numberOf(site)));
      await inTime<unknown>(context, retryCollisions<unknown>(write)).catch((failure: unknown) => {
        // Other gateways and the queue do not know of it: the next refusal tries again to write it down.
        remembered.delete(keyOf(of, site));
        throw failure;
      });
    },
    async resume(site: SiteConfig, of: Paused = "account"): Promise<void> {
      remember(of, site, false);
      log.info({ accountId: site.accountId }, `the platform takes the ${of}'s messages again`);
      const write = async () => (of === "account" ? await resumeAccount(sql, site.accountId) : await freeNumber(sql, numberOf(site)));
      await inTime<unknown>(context, retryCollisions<unknown>(write));
    },
  };
}
