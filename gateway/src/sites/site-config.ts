import type { BindingToPlan } from "shared/core/plan";
import type { SiteForIngestRow } from "shared/db/site-for-ingest";
import type { PlatformCredentials } from "shared/platform/client";
import type { Vault } from "shared/secrets/vault";
import { type SiteSecrets, toSiteSecrets } from "./site-secrets.ts";

/** What a request needs to know of its site, of one moment; the two versions date it. */
export interface SiteConfig {
  id: string;
  accountId: string;
  siteVersion: string;
  accountVersion: string;
  enabled: boolean;
  requireTimestamp: boolean;
  rateLimitPerSecond: number | null;
  testPhone: string | null;
  activePhones: string[];
  secrets: SiteSecrets;
  timezone: string;
  platform: SitePlatform | null;
  /** Null while nobody has opted out of the account's messages; else the ids of the templates that are marketing. */
  marketing: ReadonlySet<string> | null;
  /** The enabled bindings by event name, in the order in which they fire. */
  bindings: Map<string, BindingToPlan[]>;
}

export interface SitePlatform {
  credentials: PlatformCredentials;
  accessTokenRecord: string;
  /** Set while the platform refuses the whole account: from `probeAt` (monotonic ms) on one message may try again. */
  stopped: { code: string; probeAt: number } | null;
}

export function toSiteConfig(row: SiteForIngestRow, vault: Vault): SiteConfig {
  return {
    id: row.id,
    accountId: row.account_id,
    siteVersion: row.site_version,
    accountVersion: row.account_version,
    enabled: row.enabled,
    requireTimestamp: row.require_timestamp,
    rateLimitPerSecond: row.rate_limit_per_second,
    testPhone: row.test_phone,
    activePhones: row.active_phones,
    secrets: toSiteSecrets(row, vault),
    timezone: row.timezone,
    platform: row.platform && toPlatform(row.platform, vault),
    marketing: row.has_opt_outs ? marketingTemplates(row.bindings) : null,
    bindings: groupByEvent(row.bindings),
  };
}

function toPlatform(row: NonNullable<SiteForIngestRow["platform"]>, vault: Vault): SitePlatform {
  return {
    credentials: {
      apiVersion: row.api_version,
      wabaId: row.waba_id,
      phoneNumberId: row.phone_number_id,
      accessToken: vault.decrypt(row.access_token),
    },
    accessTokenRecord: row.access_token,
    stopped: row.stopped_code === null ? null : { code: row.stopped_code, probeAt: performance.now() + row.probe_in * 1000 },
  };
}

function groupByEvent(rows: SiteForIngestRow["bindings"]): Map<string, BindingToPlan[]> {
  const groups = new Map<string, BindingToPlan[]>();
  for (const { id, event, recipient, variable_map, template } of rows) {
    const group = groups.get(event) ?? [];
    groups.set(event, group);
    group.push({ id, recipient, variableMap: variable_map, template });
  }
  return groups;
}

/** The platform's word counts, which may differ from what was asked for. */
const marketingTemplates = (bindings: SiteForIngestRow["bindings"]): Set<string> =>
  new Set(bindings.flatMap(({ template }) => (template.category.toUpperCase() === "MARKETING" ? [template.id] : [])));
