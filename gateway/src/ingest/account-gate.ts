import { resumeAccount, stopAccount, takeProbe } from "shared/db/tables/platform-account/stop";

import type { GatewayContext } from "../context.ts";
import type { SiteConfig } from "../sites/site-config.ts";

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

export function createAccountGate({ sql, clock, log }: Pick<GatewayContext, "sql" | "clock" | "log">): AccountGate {
  // What this process has just learnt, for events that were planned before the row changed.
  const learnt = new Map<string, { version: bigint; open: boolean; until: number }>();

  const learn = (site: SiteConfig, open: boolean): void => {
    learnt.set(site.accountId, { version: BigInt(site.accountVersion), open, until: clock.monotonic() + pauseSeconds * 1000 });
  };
  const newer = (site: SiteConfig): { open: boolean } | null => {
    const known = learnt.get(site.accountId);
    if (known && known.until <= clock.monotonic()) learnt.delete(site.accountId);
    return known && known.until > clock.monotonic() && known.version >= BigInt(site.accountVersion) ? known : null;
  };

  return {
    async passage(site) {
      const known = newer(site);
      if (known) return known.open ? "open" : "closed";
      const stopped = site.platform?.stopped;
      if (!stopped) return "open";
      if (clock.monotonic() < stopped.probeAt) return "closed";
      return (await takeProbe(sql, site.accountId, pauseSeconds)) ? "probe" : "closed";
    },
    async stop(site, error) {
      if (!site.platform) return;
      learn(site, false);
      log.warn({ accountId: site.accountId, code: error.code }, "the platform refuses the account; its messages pause");
      const { credentials, accessTokenRecord } = site.platform;
      await stopAccount(sql, { accountId: site.accountId, phoneNumberId: credentials.phoneNumberId, accessTokenRecord }, error, pauseSeconds);
    },
    async resume(site) {
      learn(site, true);
      log.info({ accountId: site.accountId }, "the platform takes the account's messages again");
      await resumeAccount(sql, site.accountId);
    },
  };
}
