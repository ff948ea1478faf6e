import { hash, timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import { compileStoredKeyAt } from "shared/core/compared-value";
import type { Proof } from "shared/core/sources/source";
import { sources } from "shared/core/sources/sources";
import { grouped } from "shared/core/text";
import { isMoving } from "shared/db/account";
import { createLane } from "shared/db/batch/lane";
import { eventOfIds, eventOfMacs } from "shared/db/event/answer";
import { findSitesOfTokens, loadSitesForIngest, type SiteForIngestRow, takeSiteRates, toBindingToPlan } from "shared/db/site-for-ingest";
import { rowCodecOf } from "shared/sealing/account-rows";
import { findBase64Signer, findSigner, findStandardSigner } from "shared/secrets/signature";
import { type Vault, VaultError, placeIn, secretPlace } from "shared/secrets/vault";
import { type GatewayContext, inTime } from "../context.ts";

export type SiteDirectory = ReturnType<typeof createSiteDirectory>;

/**
 * The sites as this gateway last loaded them. No event is accepted (the claim compares versions) or refused (`refresh` first) on a stale copy.
 *
 * One statement refreshes at a time and they start 25 ms apart, so that a flood of bad keys, tokens or signatures costs a bounded number of
 * statements.
 */
export function createSiteDirectory(context: GatewayContext) {
  const { sql, vault } = context;
  const cache = new LRUCache<string, SiteConfig>({ max: 10_000 });
  const idsByToken = new LRUCache<string, string>({ max: 10_000 });

  const load = async (ids: string[]): Promise<(SiteConfig | null)[]> => {
    const rows = await inTime(context, loadSitesForIngest(sql, [...new Set(ids)]));
    const sites = new Map(rows.map((row) => [row.id, readSite(row, vault)]));
    for (const id of ids) {
      const site = sites.get(id);
      if (site) cache.set(id, site);
      else cache.delete(id);
    }
    return ids.map((id) => sites.get(id) ?? null);
  };

  const find = async (tokens: string[]): Promise<(string | null)[]> => {
    const rows = await inTime(context, findSitesOfTokens(sql, [...new Set(tokens)]));
    const ids = new Map(rows.map(({ id, token }) => [token, id ?? moved]));
    return tokens.map((token) => ids.get(token) ?? null);
  };

  const lane = createPacedLane(load);
  const tokenLane = createPacedLane(find);

  return {
    admits: createAdmission(context),
    /** The cached copy, of whatever age. */
    peek: (siteId: string): SiteConfig | undefined => cache.get(siteId),
    /** Loads the site by a statement that starts after this call; null when there is none. */
    refresh: (siteId: string): Promise<SiteConfig | null> => lane.add(siteId),
    /** The same for the site with a token in its inbound address. */
    peekToken: (token: string): SiteConfig | undefined => {
      const site = cache.get(idsByToken.get(token) ?? "");
      return site?.inbound.token === token ? site : undefined;
    },
    async refreshToken(token: string): Promise<SiteConfig | typeof moved | null> {
      const known = idsByToken.get(token);
      const id = known ?? (await tokenLane.add(token));
      if (id === moved) return moved;
      const site = id === null ? null : await lane.add(id);
      if (site?.inbound.token === token) {
        idsByToken.set(token, site.id);
        return site;
      }
      idsByToken.delete(token);
      return known === undefined ? null : await this.refreshToken(token);
    },
  };
}

type Limited = Pick<SiteConfig, "id" | "rateLimitPerSecond">;

/**
 * Tells whether a site with a limit accepts a request this second, over all gateways. A request counts once, however often it is judged, and those of one
 * moment share a statement, so that a flood over the limit stays cheap.
 */
function createAdmission(context: GatewayContext): (site: Limited, request: object) => Promise<boolean> {
  const counted = new WeakSet<object>();
  const lane = createLane<Limited, boolean>({
    maxItems: 10_000,
    splits: () => false,
    run: async (items) => {
      const wanted = new Map<string, { site_id: string; allowed: number; wanted: number }>();
      for (const { id: site_id, rateLimitPerSecond: limit } of items) {
        const known = wanted.get(site_id);
        const allowed = Math.min(limit ?? Infinity, known?.allowed ?? Infinity);
        wanted.set(site_id, { site_id, allowed, wanted: (known?.wanted ?? 0) + 1 });
      }
      const left = await inTime(context, takeSiteRates(context.sql, [...wanted.values()]));
      return items.map(({ id }) => {
        const n = left.get(id) ?? 0;
        left.set(id, n - 1);
        return n > 0;
      });
    },
  });
  return async (site, request) => {
    const isAdmitted = counted.has(request) || (await lane.add(site));
    if (isAdmitted) counted.add(request);
    return isAdmitted;
  };
}

/** In place of a site that is another installation's now. */
const moved = "moved";

const intervalMs = 25;

function createPacedLane<T>(run: (items: string[]) => Promise<T[]>) {
  let notBefore = 0;
  const pace = async (): Promise<void> => {
    const wait = notBefore - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    notBefore = performance.now() + intervalMs;
  };
  return createLane<string, T>({ run, maxItems: 1000, splits: () => false, pace });
}

/** The parts of a site that its requests need. The two versions tell of which moment they are. */
export type SiteConfig = ReturnType<typeof toSiteConfig>;

/** A rule by which an event cancels waiting messages: those whose `cancelBy` equals the value of `keyOf`; null: none. */
type CancelRule = ReturnType<typeof toCancelRule>;

/** A site that cannot be read fails alone: the others of its batch are loaded. */
function readSite(row: SiteForIngestRow, vault: Vault): SiteConfig {
  try {
    return toSiteConfig(row, vault);
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    return toSiteConfig({ ...row, secrets: [], platform: null, dataKey: null }, vault, "secret_unreadable");
  }
}

function toSiteConfig(row: SiteForIngestRow, vault: Vault, failed: "secret_unreadable" | null = null) {
  const { inbound, hasMacs, keys: _, secrets: __, encryptPayloads, dataKey, platform, bindings, cancelRules, ...site } = row;
  const [source, secrets] = [sources[inbound.sourceType], toSiteSecrets(row, vault)];
  return {
    ...site,
    /** How its events are refused while a stored secret cannot be decrypted (`secrets` and `platform` are then empty), or the account moves, which a test site does until it is connected to the sandbox of here. */
    unreadable: failed ?? (isMoving(dataKey) || (row.mode === "test" && platform === null) ? ("account_moving" as const) : null),
    /** The site's way of taking what its shop posts. */
    inbound: { ...inbound, source },
    /** Whether a signature that opens the path of events may open the inbound address too. */
    sharesSignatures: hasMacs || (source.signsBodyAlone && haveCommon(secrets)),
    secrets,
    platform: platform && toPlatform(platform, row, vault),
    /** How its events and messages are stored. */
    rows: rowCodecOf(vault, { account_id: row.accountId, encrypt_payloads: encryptPayloads, data_key: dataKey }),
    /** The ids of the templates that are marketing by the category that the platform assigned, which may differ from the requested one. */
    marketing: new Set(bindings.flatMap(({ template }) => (template.category.toUpperCase() === "MARKETING" ? template.id : []))),
    /** The enabled bindings by event name, in the order in which they fire. */
    bindings: grouped(bindings.map((binding) => [binding.event, toBindingToPlan(binding, row.timezone)])),
    /** The bindings that limit how many of their messages may leave for one phone. */
    throttles: new Map(bindings.flatMap(({ id, schedule }) => (schedule?.throttle ? [[id, schedule.throttle] as const] : []))),
    /** The rules by which an event of a name cancels waiting messages. */
    cancelRules: grouped<CancelRule>(cancelRules.flatMap((rule) => rule.events.map((event) => [event, toCancelRule(rule)]))),
  };
}

const toCancelRule = ({ id: bindingId, by }: SiteForIngestRow["cancelRules"][number]) => ({ bindingId, keyOf: compileStoredKeyAt(by) });

function toPlatform(row: NonNullable<SiteForIngestRow["platform"]>, { accountId, mode }: SiteForIngestRow, vault: Vault) {
  const column = mode === "live" ? "platform_account.access_token" : "test_connection.access_token";
  const accessToken = vault.open(row.access_token, placeIn(column, accountId));
  return {
    credentials: { apiVersion: row.api_version, wabaId: row.waba_id, phoneNumberId: row.phone_number_id, accessToken },
    accessTokenRecord: row.access_token,
    /** Set while the platform refuses the whole account. */
    stopped: row.stopped_code === null ? null : toStop(row.probe_in, row.stop_waits),
    /** Set while it limits the number. */
    limited: row.limited_probe_in === null ? null : toStop(row.limited_probe_in, true),
    /** The endpoint that marketing templates go to. */
    marketingRoute: row.marketing_route,
    /** Until then (monotonic ms) marketing messages wait, as the number has reached its people of the day; null while there is room. */
    fullUntil: row.full_in === null ? null : performance.now() + row.full_in * 1000,
  };
}

/** From `probeAt` (monotonic ms) on one message may try again. `waits`: whether the messages wait until then. */
const toStop = (probeIn: number, waits: boolean) => ({ probeAt: performance.now() + probeIn * 1000, waits });

/** The keys and secrets that prove a site's requests, each valid until `endsAt`: unix milliseconds by this gateway's clock, `Infinity` for the current ones. */
export type SiteSecrets = ReturnType<typeof toSiteSecrets>;
type SigningSecret = SiteSecrets["signing"][number];

function toSiteSecrets({ accountId, mode, keys, secrets, inbound }: SiteForIngestRow, vault: Vault) {
  const ofKind = (wanted: SiteForIngestRow["secrets"][number]["kind"]) =>
    secrets
      .filter(({ kind }) => kind === wanted)
      .map(({ id, secret, expires_at }) => ({
        id,
        secret: vault.open(secret, secretPlace(accountId, id, wanted, mode)),
        endsAt: expires_at ?? Infinity,
      }));
  const signing = ofKind("webhook_secret");
  return {
    keys: keys.map(({ id, key_hash, expires_at }) => {
      const hash: Buffer = Buffer.from(key_hash, "hex");
      return { id, hash, endsAt: expires_at ?? Infinity };
    }),
    signing,
    /** The secrets that sign the shop's requests. */
    ofShop: sources[inbound.sourceType].secret === "webhook_secret" ? signing : ofKind("source_secret"),
  };
}

const haveCommon = ({ signing, ofShop }: SiteSecrets): boolean =>
  ofShop.some(({ secret }) => signing.some((other) => other.secret === secret));

/** The id of the key with that hash, if it is valid for the site at that time. */
export const matchKey = ({ keys }: SiteSecrets, hash: Buffer, at: Date): string | undefined =>
  valid(keys, at).find((candidate) => timingSafeEqual(candidate.hash, hash))?.id;

/** The id of the secret that made the proof, if it is valid at that time. */
export function matchSigner(secrets: readonly SigningSecret[], body: Buffer, proof: Proof, at: Date): string | undefined {
  const candidates = valid(secrets, at);
  switch (proof.scheme) {
    case "hex":
      return findSigner(candidates, body, proof.signature)?.id;
    case "base64":
      return findBase64Signer(candidates, body, proof.signature)?.id;
    case "standard":
      return findStandardSigner(candidates, body, proof)?.id;
  }
}

/** Returns the list itself while all are valid, as they mostly are. */
const valid = <T extends { endsAt: number }>(all: readonly T[], at: Date): readonly T[] =>
  all.every(({ endsAt }) => at.getTime() < endsAt) ? all : all.filter(({ endsAt }) => at.getTime() < endsAt);

/** The ways into a site: the path of events, and the address that its shop posts to. */
type Door = "ingest" | "inbound";

/** A key that an event, or a request without one, needs beside its own. */
export interface Needed {
  /** The space of the key, in place of an event's name. */
  event: string;
  key: string;
  /** Who may hold the key already; null: the event alone. */
  holder: string | null;
}

/** The doors as holders of signatures. No event has such an id. */
const holders: Readonly<Record<Door, string>> = {
  ingest: "00000000-0000-0000-0000-000000000001",
  inbound: "00000000-0000-0000-0000-000000000002",
};

/**
 * The key by which a signature opens one door: who has seen a request at one cannot post it at the other, where another name makes it another event.
 * Undefined where the two doors share no signature, and for Standard Webhooks, whose signed id is known at both.
 */
export function neededAtDoor(site: Pick<SiteConfig, "sharesSignatures">, proof: Proof, door: Door): Needed | undefined {
  if (!site.sharesSignatures || proof.scheme === "standard") return undefined;
  const mac = proof.scheme === "hex" ? Buffer.from(proof.signature.replace(/^sha256=/, ""), "hex") : Buffer.from(proof.signature, "base64");
  // What is stored opens nothing.
  return { event: eventOfMacs, key: hash("sha256", mac, "base64url"), holder: holders[door] };
}

/** The key under which gateways of before 1.0 know a signed id that came to the shop's address: they may run beside this one. */
export const neededOfId = (key: string): Needed => ({ event: eventOfIds, key, holder: null });
