import { createSiteInput, listSitesInput, rotateInput, updateSiteInput } from "shared/core/input/sites";
import { idInput } from "shared/core/input/values";
import type { Role } from "shared/core/role";
import { uuidTime } from "shared/core/uuid";
import type { Sql } from "shared/db/connect";
import { newId } from "shared/db/ids";
import { deleteSite, findSite, listSites, updateSite, type SitePatch, insertSite, type SiteRow, lockSites } from "shared/db/site";
import {
  listSiteSecrets,
  type SiteSecretRow,
  endSiteSecrets,
  expireSiteSecret,
  type SiteSecretKind,
  insertSiteSecret,
} from "shared/db/site-secret";
import { inTransaction } from "shared/db/transaction";
import { makeWebhookSecret, webhookSecretHint } from "shared/secrets/signature";
import { makeSiteKey } from "shared/secrets/site-key";
import type { Vault } from "shared/secrets/vault";
import type { z } from "zod";
import { notFound, conflict } from "../trpc/errors.ts";
import { readCursor, toPage } from "../trpc/paging.ts";
import { shownPhone } from "../trpc/roles.ts";
import { operatorProcedure, router, viewerProcedure } from "../trpc/trpc.ts";

export const sitesRouter = router({
  create: operatorProcedure.input(createSiteInput).mutation(async ({ ctx, input }) => {
    const { site, apiKey, webhookSecret } = await createSite(ctx, ctx.caller.accountId, input);
    return { site: presentSite(site, ctx.caller.role), apiKey, webhookSecret };
  }),

  list: viewerProcedure.input(listSitesInput).query(async ({ ctx, input }) => {
    const before = readCursor("sites", input.cursor);
    const rows = await listSites(ctx.sql, ctx.caller.accountId, { search: input.search }, { before, limit: input.limit + 1 });
    return toPage(
      "sites",
      rows,
      input.limit,
      (row) => row.id,
      (row) => presentSite(row, ctx.caller.role),
    );
  }),

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

  rotateWebhookSecret: operatorProcedure.input(rotateInput).mutation(async ({ ctx, input }) => ({
    webhookSecret: await rotate(ctx, ctx.caller.accountId, "webhook_secret", input),
  })),

  rotateApiKey: operatorProcedure.input(rotateInput).mutation(async ({ ctx, input }) => ({
    apiKey: await rotate(ctx, ctx.caller.accountId, "api_key", input),
  })),
});

/** Only what the input names: null clears, an absent member stays. */
function toPatch(input: z.output<typeof updateSiteInput>): SitePatch {
  return {
    ...(input.name !== undefined && { name: input.name }),
    ...(input.url !== undefined && { url: input.url }),
    ...(input.sourceType !== undefined && { source_type: input.sourceType }),
    ...(input.enabled !== undefined && { enabled: input.enabled }),
    ...(input.testPhone !== undefined && { test_phone: input.testPhone }),
    ...(input.requireTimestamp !== undefined && { require_timestamp: input.requireTimestamp }),
    ...(input.rateLimitPerSecond !== undefined && { rate_limit_per_second: input.rateLimitPerSecond }),
  };
}

/** Makes a site and its two secrets, which are never to be had again. */
async function createSite(
  { sql, vault }: SecretMaker,
  accountId: string,
  { name, url, sourceType, testPhone = null }: z.output<typeof createSiteInput>,
): Promise<{ site: SiteRow; apiKey: string; webhookSecret: string }> {
  const id = newId();
  return inTransaction(sql, async (transaction) => {
    const maker = { sql: transaction, vault };
    await insertSite(transaction, { id, accountId, name, url, sourceType, testPhone });
    const apiKey = await giveApiKey(maker, id);
    const webhookSecret = await giveWebhookSecret(maker, id);
    const site = await findSite(transaction, accountId, id);
    if (site === undefined) throw notFound("site");
    return { site, apiKey, webhookSecret };
  });
}

const presentSite = (row: SiteRow, role: Role) => ({
  id: row.id,
  name: row.name,
  url: row.url,
  sourceType: row.source_type,
  enabled: row.enabled,
  testPhone: row.test_phone && shownPhone(row.test_phone, role),
  requireTimestamp: row.require_timestamp,
  rateLimitPerSecond: row.rate_limit_per_second,
  apiKeyHint: row.key_hint,
  createdAt: row.created_at.toISOString(),
  lastEventAt: row.last_event_id && new Date(uuidTime(row.last_event_id)).toISOString(),
});

/** `expiresAt` is null for the current one, else when the one that was replaced ends. `lastUsedAt` may be a minute behind. */
const presentSecret = (row: SiteSecretRow) => ({
  id: row.id,
  kind: row.kind,
  hint: row.hint,
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at?.toISOString() ?? null,
  lastUsedAt: row.last_used_at?.toISOString() ?? null,
});

export interface Rotation {
  id: string;
  /** For how long the one that is replaced still counts. 0: it ends at once, and with it those that were replaced before. */
  overlapSeconds: number;
}

const most = 5;
const makers = { api_key: giveApiKey, webhook_secret: giveWebhookSecret };
const names = { api_key: "API keys", webhook_secret: "webhook secrets" };

/** Replaces the site's current key or secret; answers the new one, which is never to be had again. */
async function rotate(
  { sql, vault }: SecretMaker,
  accountId: string,
  kind: SiteSecretKind,
  { id, overlapSeconds }: Rotation,
): Promise<string> {
  return inTransaction(sql, async (transaction) => {
    if (!(await lockSites(transaction, accountId, [id])).has(id)) throw notFound("site");
    if (overlapSeconds === 0) await endSiteSecrets(transaction, id, kind);
    else if ((await expireSiteSecret(transaction, id, kind, overlapSeconds)) >= most) throw tooMany(kind);
    return makers[kind]({ sql: transaction, vault }, id);
  });
}

const tooMany = (kind: SiteSecretKind) =>
  conflict(
    `${most} ${names[kind]} of this site count at present: wait until one has ended, or rotate without an overlap, which ends them all`,
  );

interface SecretMaker {
  sql: Sql;
  vault: Vault;
}

/** A new API key of a site that has no current one. Only its digest is kept. */
async function giveApiKey({ sql }: SecretMaker, siteId: string): Promise<string> {
  const { key, hash: keyHash, hint } = makeSiteKey(siteId);
  await insertSiteSecret(sql, { id: newId(), siteId, kind: "api_key", keyHash, hint });
  return key;
}

/** A new webhook secret of a site that has no current one. */
async function giveWebhookSecret({ sql, vault }: SecretMaker, siteId: string): Promise<string> {
  const secret = makeWebhookSecret();
  await insertSiteSecret(sql, {
    id: newId(),
    siteId,
    kind: "webhook_secret",
    secret: vault.encrypt(secret),
    hint: webhookSecretHint(secret),
  });
  return secret;
}
