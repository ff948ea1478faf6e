import { createSiteInput, listSitesInput, rotateInput, updateSiteInput } from "shared/core/input/sites";
import { idInput, noInput } from "shared/core/input/values";
import type { Role } from "shared/core/role";
import { uuidTime } from "shared/core/uuid";
import { findDataKey } from "shared/db/account";
import type { Sql } from "shared/db/connect";
import { newId } from "shared/db/ids";
import { findPlatformCredentials } from "shared/db/platform-account";
import {
  countSites,
  deleteSite,
  findSite,
  listSites,
  updateSite,
  type SitePatch,
  insertSite,
  type SiteRow,
  lockSites,
} from "shared/db/site";
import {
  listSealedSecrets,
  listSiteSecrets,
  type SiteSecretRow,
  endSiteSecrets,
  expireSiteSecret,
  type SiteSecretKind,
  insertSiteSecret,
} from "shared/db/site-secret";
import { inTransaction } from "shared/db/transaction";
import { dataKeyPlace, platformPlace, secretPlace } from "shared/secrets/sealed-columns";
import { makeWebhookSecret, standardSecret, webhookSecretHint } from "shared/secrets/signature";
import { makeSiteKey } from "shared/secrets/site-key";
import { type Place, readRecord, type Vault } from "shared/secrets/vault";
import type { z } from "zod";
import { notFound, conflict } from "../trpc/errors.ts";
import { readPage } from "../trpc/paging.ts";
import { shownPhone } from "../trpc/roles.ts";
import { operatorProcedure, rotatingProcedure, router, viewerProcedure } from "../trpc/trpc.ts";

export const sitesRouter = router({
  create: operatorProcedure.input(createSiteInput).mutation(async ({ ctx, input }) => {
    const { site, apiKey, webhookSecret } = await createSite(ctx, ctx.caller.accountId, input);
    return { site: presentSite(site, ctx.caller.role), apiKey, webhookSecret, webhookSecretStandard: standardSecret(webhookSecret) };
  }),

  list: viewerProcedure.input(listSitesInput).query(({ ctx, input }) => {
    const { accountId, role } = ctx.caller;
    return readPage(
      "sites",
      input,
      (page) => listSites(ctx.sql, accountId, { search: input.search }, page),
      (row) => presentSite(row, role),
    );
  }),

  unreadable: viewerProcedure.input(noInput).query(async ({ ctx }) => ({ items: await findUnreadable(ctx, ctx.caller.accountId) })),

  get: viewerProcedure.input(idInput).query(async ({ ctx, input }) => {
    const site = await findSite(ctx.sql, ctx.caller.accountId, input.id);
    if (site === undefined) throw notFound("site");
    const secrets = await listSiteSecrets(ctx.sql, input.id);
    return { site: presentSite(site, ctx.caller.role), secrets: secrets.map(presentSecret) };
  }),

  update: operatorProcedure.input(updateSiteInput).mutation(async ({ ctx, input }) => {
    const site = await updateSite(ctx.sql, ctx.caller.accountId, input.id, toPatch(input));
    if (site === undefined) throw notFound("site");
    return { site: presentSite(site, ctx.caller.role) };
  }),

  delete: operatorProcedure.input(idInput).mutation(async ({ ctx, input }) => {
    const deleted = await inTransaction(ctx.sql, (sql) => deleteSite(sql, ctx.caller.accountId, input.id));
    if (!deleted) throw notFound("site");
    return { id: input.id };
  }),

  rotateWebhookSecret: rotatingProcedure.input(rotateInput).mutation(async ({ ctx, input }) => {
    const webhookSecret = await rotate(ctx, ctx.caller.accountId, "webhook_secret", input);
    return { webhookSecret, webhookSecretStandard: standardSecret(webhookSecret) };
  }),

  rotateApiKey: rotatingProcedure.input(rotateInput).mutation(async ({ ctx, input }) => ({
    apiKey: await rotate(ctx, ctx.caller.accountId, "api_key", input),
  })),
});

/** What keeps gateways from taking the account's events: secrets that the master key does not open. `siteId` null: the platform's, for all sites. */
/** Something for which events are refused with 503, and what it belongs to. */
type Unreadable = { kind: "dataKey" | "platform"; siteId: null; name: null } | { kind: "site"; siteId: string; name: string };

async function findUnreadable({ sql, vault }: SecretMaker, accountId: string): Promise<Unreadable[]> {
  const [account, platform, secrets] = await Promise.all([
    findDataKey(sql, accountId),
    findPlatformCredentials(sql, accountId),
    listSealedSecrets(sql, accountId),
  ]);
  const isUnreadable = (record: string | null, at: Place): boolean => record !== null && readRecord(vault, record, at) === null;
  const unreadable = secrets.filter(({ id, secret }) => isUnreadable(secret, secretPlace(accountId, id)));
  const sites = new Map(unreadable.map(({ site_id, name }) => [site_id, name]));
  const isPlatformUnreadable =
    platform !== undefined &&
    (["access_token", "app_secret"] as const).some((name) => isUnreadable(platform[name], platformPlace(accountId, name)));
  return [
    ...(isUnreadable(account?.data_key ?? null, dataKeyPlace(accountId)) ? [ofAccount("dataKey")] : []),
    ...(isPlatformUnreadable ? [ofAccount("platform")] : []),
    ...Array.from(sites, ([siteId, name]): Unreadable => ({ kind: "site", siteId, name })),
  ];
}

const ofAccount = (kind: "dataKey" | "platform"): Unreadable => ({ kind, siteId: null, name: null });

/** The most sites of an account. */
const mostSites = 500;

/** Creates a site with its API key and webhook secret, which nobody can read again. */
async function createSite(
  { sql, vault }: SecretMaker,
  accountId: string,
  { name, url, sourceType, testPhone = null, requireSignedTimestamp = false, idempotencyHours = null }: z.output<typeof createSiteInput>,
): Promise<{ site: SiteRow; apiKey: string; webhookSecret: string }> {
  if ((await countSites(sql, accountId)) >= mostSites) {
    throw conflict(`An account has at most ${mostSites} sites: delete one that is not used, or open another account`);
  }
  const id = newId();
  return inTransaction(sql, async (transaction) => {
    const maker = { sql: transaction, vault };
    const settings = {
      source_type: sourceType,
      test_phone: testPhone,
      require_signed_timestamp: requireSignedTimestamp,
      idempotency_hours: idempotencyHours,
    };
    await insertSite(transaction, { id, account_id: accountId, name, url, ...settings });
    const apiKey = await addApiKey(maker, accountId, id);
    const webhookSecret = await addWebhookSecret(maker, accountId, id);
    const site = await findSite(transaction, accountId, id);
    if (site === undefined) throw notFound("site");
    return { site, apiKey, webhookSecret };
  });
}

/** A member that is absent from the input stays as it is; null clears. */
function toPatch(input: z.output<typeof updateSiteInput>): SitePatch {
  return {
    ...(input.name !== undefined && { name: input.name }),
    ...(input.url !== undefined && { url: input.url }),
    ...(input.sourceType !== undefined && { source_type: input.sourceType }),
    ...(input.enabled !== undefined && { enabled: input.enabled }),
    ...(input.testPhone !== undefined && { test_phone: input.testPhone }),
    ...(input.requireTimestamp !== undefined && { require_timestamp: input.requireTimestamp }),
    ...(input.requireSignedTimestamp !== undefined && { require_signed_timestamp: input.requireSignedTimestamp }),
    ...(input.idempotencyHours !== undefined && { idempotency_hours: input.idempotencyHours }),
    ...(input.holdMessages !== undefined && { hold_messages: input.holdMessages }),
    ...(input.rateLimitPerSecond !== undefined && { rate_limit_per_second: input.rateLimitPerSecond }),
  };
}

/** Valid secrets of one kind at the same time. */
const mostSecrets = 5;
const makers = { api_key: addApiKey, webhook_secret: addWebhookSecret };
const names = { api_key: "API keys", webhook_secret: "webhook secrets" };

/**
 * Replaces the site's current key or secret and answers the new one, which nobody can read again. The old one stays valid for `overlapSeconds`; 0 ends it at
 * once, with all that were replaced before.
 */
async function rotate(
  { sql, vault }: SecretMaker,
  accountId: string,
  kind: SiteSecretKind,
  { id, overlapSeconds }: z.output<typeof rotateInput>,
): Promise<string> {
  return inTransaction(sql, async (transaction) => {
    if (!(await lockSites(transaction, accountId, [id])).has(id)) throw notFound("site");
    if (overlapSeconds === 0) await endSiteSecrets(transaction, id, kind);
    else if ((await expireSiteSecret(transaction, id, kind, overlapSeconds)) >= mostSecrets) throw tooMany(kind);
    return makers[kind]({ sql: transaction, vault }, accountId, id);
  });
}

const tooMany = (kind: SiteSecretKind) =>
  conflict(
    `${mostSecrets} ${names[kind]} of this site count at present: wait until one has ended, or rotate without an overlap, which ends them all`,
  );

interface SecretMaker {
  sql: Sql;
  vault: Vault;
}

/** The site must have no current API key. Only the key's digest is stored. */
async function addApiKey({ sql }: SecretMaker, _accountId: string, siteId: string): Promise<string> {
  const { key, hash, hint } = makeSiteKey(siteId);
  await insertSiteSecret(sql, { id: newId(), site_id: siteId, kind: "api_key", key_hash: hash, hint });
  return key;
}

/** The site must have no current webhook secret. */
async function addWebhookSecret({ sql, vault }: SecretMaker, accountId: string, siteId: string): Promise<string> {
  const secret = makeWebhookSecret();
  const seal = await vault.sealer(sql);
  const id = newId();
  await insertSiteSecret(sql, {
    id,
    site_id: siteId,
    kind: "webhook_secret",
    secret: seal(secret, secretPlace(accountId, id)),
    hint: webhookSecretHint(secret),
  });
  return secret;
}

const presentSite = (row: SiteRow, role: Role) => ({
  id: row.id,
  name: row.name,
  url: row.url,
  sourceType: row.source_type,
  enabled: row.enabled,
  testPhone: row.test_phone && shownPhone(row.test_phone, role),
  requireTimestamp: row.require_timestamp,
  requireSignedTimestamp: row.require_signed_timestamp,
  rateLimitPerSecond: row.rate_limit_per_second,
  holdMessages: row.hold_messages,
  idempotencyHours: row.idempotency_hours,
  apiKeyHint: row.key_hint,
  createdAt: row.created_at.toISOString(),
  lastEventAt: row.last_event_id && new Date(uuidTime(row.last_event_id)).toISOString(),
});

/** `expiresAt`: when a replaced secret ends; null for the current one. `lastUsedAt` may be a minute behind. */
const presentSecret = (row: SiteSecretRow) => ({
  id: row.id,
  kind: row.kind,
  hint: row.hint,
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at?.toISOString() ?? null,
  lastUsedAt: row.last_used_at?.toISOString() ?? null,
});
