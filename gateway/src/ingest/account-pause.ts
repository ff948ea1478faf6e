import { resumeAccount, stopAccount, takeProbe } from "shared/db/platform-account";
import { withTimeout } from "shared/db/transaction";
import type { GatewayContext } from "../context.ts";
import type { SiteConfig } from "../sites/sites.ts";

/** What may be sent for an account: everything, one message to see whether the platform takes any again, or nothing. */
export type Passage = "open" | "probe" | "closed";

/**
 * Keeps an account that the platform refuses as a whole from being hammered. The stop is a row that bumps the account's configuration, so every
 * gateway learns of it with its next event, and the dashboard ends it in the same way.
 */
export interface AccountGate {
  passage(site: SiteConfig): Promise<Passage>;
  stop(site: SiteConfig, error: { code: string; reason: string }): Promise<void>;
  resume(site: SiteConfig): Promise<void>;
}

/** Seconds for which a stopped account's messages are not even tried. */
const pauseSeconds = 60;

export function createAccountGate({ sql, clock, log, config }: Pick<GatewayContext, "sql" | "clock" | "log" | "config">): AccountGate {
  // What this process has just learnt, for events that were planned before the row changed.
  const learnt = new Map<string, { version: bigint; open: boolean; until: number }>();

  const learn = (site: SiteConfig, open: boolean): void => {
    learnt.set(site.accountId, { version: BigInt(site.accountVersion), open, until: clock.monotonic() + pauseSeconds * 1000 });
  };
  const newer = (site: SiteConfig): { open: boolean } | null => {
    const known = learnt.get(site.accountId);
    if (!known || known.version < BigInt(site.accountVersion)) return null;
    if (clock.monotonic() < known.until) return known;
    learnt.delete(site.accountId);
    return null;
  };

  const inTime = async <T>(statement: Promise<T>): Promise<T> => withTimeout(statement, config.timeLimits.statementMs);

  /** The event is stored already: a database that cannot be asked must not leave its messages as if they were under way. */
  const tryProbe = async (site: SiteConfig): Promise<boolean> => {
    try {
      return await inTime(takeProbe(sql, site.accountId, pauseSeconds));
    } catch (error) {
      log.warn({ err: error, accountId: site.accountId }, "could not ask for the probe of a stopped account");
      return false;
    }
  };

  return {
    async passage(site) {
      const known = newer(site);
      if (known) return known.open ? "open" : "closed";
      const stopped = site.platform?.stopped;
      if (!stopped) return "open";
      if (clock.monotonic() < stopped.probeAt) return "closed";
      return (await tryProbe(site)) ? "probe" : "closed";
    },
    async stop(site, error) {
      if (!site.platform || newer(site)?.open === false) return;
      learn(site, false);
      log.warn({ accountId: site.accountId, code: error.code }, "the platform refuses the account; its messages pause");
      const { credentials, accessTokenRecord } = site.platform;
      const account = { accountId: site.accountId, phoneNumberId: credentials.phoneNumberId, accessTokenRecord };
      await inTime(stopAccount(sql, account, error, pauseSeconds));
    },
    async resume(site) {
      learn(site, true);
      log.info({ accountId: site.accountId }, "the platform takes the account's messages again");
      await inTime(resumeAccount(sql, site.accountId));
    },
  };
}
