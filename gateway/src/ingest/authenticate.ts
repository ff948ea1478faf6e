import { timingSafeEqual } from "node:crypto";
import { hashSiteKey, siteIdOfKey } from "shared/signature/site-key";
import { verifyBody } from "shared/signature/verify";
import type { RateLimit } from "../sites/rate-limit.ts";
import type { SiteConfig } from "../sites/site-config.ts";
import type { SiteDirectory } from "../sites/site-directory.ts";
import { header, type RawRequest } from "./raw-request.ts";
import { type AuthenticEvent, readEvent } from "./read-event.ts";
import { Refusal } from "./refusal.ts";

/** Seconds by which a timestamp may be off, either way. */
const timestampTolerance = 300;

export interface Authenticate {
  (request: RawRequest): Promise<AuthenticEvent>;
}

/**
 * Judges a request in the documented order of checks: key, body size, signature, timestamp, enabled, rate limit, and then what it says.
 *
 * Works on the site as cached; the claim later proves that it was current. Whatever would be refused is judged once more on a fresh look at the
 * site, so that a refusal never comes from a configuration of yesterday.
 */
export function createAuthenticate(sites: SiteDirectory, rateLimit: RateLimit): Authenticate {
  const admitted = createAdmission(rateLimit);
  return async (request) => {
    const caller = await identify(request, sites);
    const body = await request.readBody();
    try {
      return await judge(caller.site, request, body, admitted);
    } catch (error) {
      if (!(error instanceof Refusal) || caller.fresh) throw error;
    }
    return await judge(await confirm(request, sites), request, body, admitted);
  };
}

/** The site that the key belongs to, from the headers alone. */
async function identify(request: RawRequest, sites: SiteDirectory): Promise<{ site: SiteConfig; fresh: boolean }> {
  const { key, siteId } = readKey(request);
  const cached = sites.peek(siteId);
  if (cached && holdsKey(cached, key)) return { site: cached, fresh: false };
  return { site: await confirm(request, sites), fresh: true };
}

async function confirm(request: RawRequest, sites: SiteDirectory): Promise<SiteConfig> {
  const { key, siteId } = readKey(request);
  const site = await sites.refresh(siteId);
  if (!site || !holdsKey(site, key)) throw new Refusal("invalid_site_key");
  return site;
}

function readKey({ headers }: RawRequest): { key: string; siteId: string } {
  const key = header(headers, "x-service-site-key");
  if (key === null) throw new Refusal("missing_site_key");
  const siteId = siteIdOfKey(key);
  if (siteId === null) throw new Refusal("invalid_site_key");
  return { key, siteId };
}

const holdsKey = (site: SiteConfig, key: string): boolean => timingSafeEqual(site.keyHash, hashSiteKey(key));

async function judge(site: SiteConfig, request: RawRequest, body: Buffer, admitted: Admission): Promise<AuthenticEvent> {
  if (!verifyBody(site.webhookSecrets, body, header(request.headers, "x-service-signature") ?? "")) throw new Refusal("invalid_signature");
  checkTimestamp(site, request);
  if (!site.enabled) throw new Refusal("site_disabled");
  if (!(await admitted(site, request))) throw new Refusal("rate_limited");
  return readEvent(site, request, body);
}

function checkTimestamp(site: SiteConfig, request: RawRequest): void {
  const text = header(request.headers, "x-service-timestamp");
  if (text === null) {
    if (site.requireTimestamp) throw new Refusal("missing_timestamp");
    return;
  }
  const now = Math.floor(request.receivedAt.getTime() / 1000);
  if (!/^\d{1,15}$/.test(text) || Math.abs(now - Number(text)) > timestampTolerance) throw new Refusal("stale_timestamp");
}

type Admission = (site: SiteConfig, request: RawRequest) => Promise<boolean>;

/** A request counts once against the limit, however often it is judged. */
function createAdmission(rateLimit: RateLimit): Admission {
  const counted = new WeakSet<RawRequest>();
  return async (site, request) => {
    if (site.rateLimitPerSecond === null || counted.has(request)) return true;
    const admitted = await rateLimit.take(site.id, site.rateLimitPerSecond);
    if (admitted) counted.add(request);
    return admitted;
  };
}
