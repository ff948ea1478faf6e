import { resumeAccount, stopAccount, takeProbe } from "shared/db/platform-account";
import { withTimeout } from "shared/db/transaction";
import type { GatewayContext } from "../context.ts";
import type { SiteConfig } from "../sites/sites.ts";

/** The sending state of an account: all messages, one message to see whether the platform takes any again, or none. */
export type PauseState = "none" | "probe" | "paused";

/**
 * Keeps an account that the platform refuses as a whole from being hammered. The pause is a row that bumps the account's configuration, so every
 * gateway sees it with its next event, and the dashboard ends it in the same way.
 */
export type AccountPause = ReturnType<typeof createAccountPause>;

/** Seconds for which a stopped account's messages are not even tried. */
const pauseSeconds = 60;

export function createAccountPause({ sql, clock, log, config }: Pick<GatewayContext, "sql" | "clock" | "log" | "config">) {
  // The latest news of this process, for events that were planned before the row changed.
  const remembered = new Map<string, { version: bigint; paused: boolean; until: number }>();

  const remember = (site: SiteConfig, paused: boolean): void => {
    remembered.set(site.accountId, { version: BigInt(site.accountVersion), paused, until: clock.monotonic() + pauseSeconds * 1000 });
  };
  const newerThan = (site: SiteConfig): { paused: boolean } | null => {
    const known = remembered.get(site.accountId);
    if (!known || known.version < BigInt(site.accountVersion)) return null;
    if (clock.monotonic() < known.until) return known;
    remembered.delete(site.accountId);
    return null;
  };

  const inTime = async <T>(statement: Promise<T>): Promise<T> => withTimeout(statement, config.timeLimits.statementMs);

  /** Never throws: the event is stored already, and its messages must not stay `sending` because the database is away. */
  const tryProbe = async (site: SiteConfig): Promise<boolean> => {
    try {
      return await inTime(takeProbe(sql, site.accountId, pauseSeconds));
    } catch (error) {
      log.warn({ err: error, accountId: site.accountId }, "could not ask for the probe of a stopped account");
      return false;
    }
  };

  return {
    /** Answers at once for an account that is not paused. */
    state(site: SiteConfig): PauseState | Promise<Exclude<PauseState, "none">> {
      const known = newerThan(site);
      if (known) return known.paused ? "paused" : "none";
      const stopped = site.platform?.stopped;
      if (!stopped) return "none";
      if (clock.monotonic() < stopped.probeAt) return "paused";
      return tryProbe(site).then((isOurs) => (isOurs ? "probe" : "paused"));
    },
    async stop(site: SiteConfig, error: { code: string; reason: string }): Promise<void> {
      if (!site.platform || newerThan(site)?.paused) return;
      remember(site, true);
      log.warn({ accountId: site.accountId, code: error.code }, "the platform refuses the account; its messages pause");
      const { credentials, accessTokenRecord } = site.platform;
      const account = { accountId: site.accountId, phoneNumberId: credentials.phoneNumberId, accessTokenRecord };
      await inTime(stopAccount(sql, account, error, pauseSeconds)).catch((failure: unknown) => {
        // Other gateways and the queue do not know of it: the next refusal tries again to write it down.
        remembered.delete(site.accountId);
        throw failure;
      });
    },
    async resume(site: SiteConfig): Promise<void> {
      remember(site, false);
      log.info({ accountId: site.accountId }, "the platform takes the account's messages again");
      await inTime(resumeAccount(sql, site.accountId));
    },
  };
}
