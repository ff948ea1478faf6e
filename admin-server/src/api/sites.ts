import { randomUUID } from "node:crypto";
import { examplePayload } from "shared/core/example";
import { createSiteInput, listSitesInput, rotateInput, sendExampleInput, updateSiteInput } from "shared/core/input/sites";
import { clientIdMember, idInput, siteListInput } from "shared/core/input/values";
import { describeReason } from "shared/core/reason";
import { explainRefused } from "shared/core/refused";
import { may, type Role } from "shared/core/role";
import { sourceTitles, sourceTypes } from "shared/core/site";
import { eventOfTopic, sources } from "shared/core/sources/sources";
import { uuidTime } from "shared/core/uuid";
import { say } from "shared/core/wording";
import { newId } from "shared/db/ids";
import { findMemberName } from "shared/db/membership";
import { removeReconcile, setReconcile } from "shared/db/reconcile";
import { listRefusedRequests, type RefusedRequestRow } from "shared/db/refused-request";
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
  renewInboundToken,
  findPauser,
} from "shared/db/site";
import { findCurrentSecret, listSiteSecrets, type SiteSecretRow, insertSiteSecret } from "shared/db/site-secret";
import { listTopics } from "shared/db/site-topic";
import { type Sql, snakeCased } from "shared/db/statement";
import { turnOver } from "shared/db/waiting/turns";
import { makeWebhookSecret, signStandard, standardSecret, webhookSecretHint } from "shared/secrets/signature";
import { makeInboundToken, makeSiteKey } from "shared/secrets/site-key";
import { readRecord, secretPlace } from "shared/secrets/vault";
import type { z } from "zod";
import type { AdminContext, CallerContext } from "../context.ts";
import { followHeld } from "../operations/bulk.ts";
import { inboundUrl, secretHint } from "../platform-account.ts";
import { connectTestSites } from "../sandbox/account.ts";
import { conflict, invalidInput, absent, notFound, requireUnchanged } from "../trpc/errors.ts";
import { present, readPage } from "../trpc/paging.ts";
import { requireProofForPhone, requireProofOfPerson, requireTokenScope, shownPhone, shownText } from "../trpc/roles.ts";
import { makeRoom } from "../trpc/site-secrets.ts";
import { once, operatorCallProcedure, operatorProcedure, router, viewerProcedure } from "../trpc/trpc.ts";

const creating = operatorProcedure
  .input(createSiteInput.extend(clientIdMember))
  .use(once(async (ctx, id) => ({ site: presentSite(ctx, ctx.caller.role)(await readSite(ctx.sql, ctx.caller.accountId, id)) })));

export const sitesRouter = router({
  create: creating.mutation(async ({ ctx, input }) => {
    if (input.mode === "test") await connectTestSites(ctx, ctx.caller.accountId);
    const { site, apiKey, webhookSecret } = await createSite(ctx, ctx.caller.accountId, input);
    return { site: presentSite(ctx, ctx.caller.role)(site), apiKey, webhookSecret, webhookSecretStandard: standardSecret(webhookSecret) };
  }),

  list: viewerProcedure.input(listSitesInput).query(({ ctx, input }) => {
    const { accountId, role } = ctx.caller;
    return readPage("sites", input, (page) => listSites(ctx.sql, accountId, input, page), presentSite(ctx, role));
  }),

  refused: viewerProcedure.input(siteListInput).query(async ({ ctx, input }) => {
    const site = await readSite(ctx.sql, ctx.caller.accountId, input.siteId);
    const secrets = (await listSiteSecrets(ctx.sql, site.id)).map(({ kind }) => kind);
    return await readPage(
      "sites.refused",
      input,
      (page) => listRefusedRequests(ctx.sql, input.siteId, page),
      (row) => presentRefused(row, { ...site, secrets }, ctx.caller.role),
    );
  }),

  get: viewerProcedure.input(idInput).query(async ({ ctx, input }) => {
    const site = await readSite(ctx.sql, ctx.caller.accountId, input.id);
    const [secrets, topics] = await Promise.all([listSiteSecrets(ctx.sql, input.id), listTopics(ctx.sql, input.id)]);
    return {
      site: presentSite(ctx, ctx.caller.role)(site),
      /** Since when, and by whom, a paused site pauses sending; null where nobody knows. */
      held: site.hold_messages ? await readPause(ctx, input.id) : null,
      secrets: secrets.map(presentSecret),
      /** The topics that the shop has posted, and the event that each means now. */
      topics: topics.map((row) => ({
        ...present(row, "topic", "last_seen_at"),
        event: eventOfTopic(sources[site.source_type], site.topic_map, row.topic),
      })),
    };
  }),

  update: operatorProcedure.input(updateSiteInput).mutation(async ({ ctx, input }) => {
    const { accountId, role } = ctx.caller;
    const former = await readSite(ctx.sql, accountId, input.id);
    if (takesProof(former, input)) requireProofOfPerson(ctx.caller);
    // Whoever knows the shop's secret signs its requests: setting one is rotating it.
    if (input.sourceSecret !== undefined) requireTokenScope(ctx.caller.via, "sites.update", "rotate_secrets");
    await requireProofForPhone(ctx.sql, ctx.caller, input.testPhone);
    await requireUnchanged(former, input, () => presentSite(ctx, role)(former));
    const { sourceSecret, overlapSeconds = 0 } = input;
    if (sourceSecret !== undefined) {
      // Stands in place of the former one; null ends all.
      await makeRoom(ctx.sql, accountId, "source_secret", input.id, sourceSecret === null ? 0 : overlapSeconds);
      if (sourceSecret !== null) await addSecret(ctx, former, "source_secret", sourceSecret);
    }
    const operation = former.hold_messages && input.holdMessages === false ? await followHeld(ctx.sql, ctx.caller, input.id) : null;
    const updated = (await updateSite(ctx.sql, accountId, input.id, toPatch(input))) ?? absent("site");
    const site = (await changeReconcile(ctx, updated, input.reconcile)) ? await readSite(ctx.sql, accountId, input.id) : updated;
    if (input.holdMessages !== undefined) await turnOver(ctx.sql, site.id);
    /** `operation`: what follows the messages that leave with the end of a pause. */
    return { site: presentSite(ctx, role)(site), operation };
  }),

  delete: operatorProcedure.input(idInput).mutation(async ({ ctx, input }) => {
    if (!(await deleteSite(ctx.sql, ctx.caller.accountId, input.id))) throw notFound("site");
    return { id: input.id };
  }),

  sendExample: operatorCallProcedure.input(sendExampleInput).mutation(async ({ ctx, input }) => {
    await requireProofForPhone(ctx.sql, ctx.caller, input.phone);
    const post = await signExample(ctx, ctx.caller.accountId, input);
    // The entry is written before the event is posted, since the gateway keeps no audit.
    await ctx.record(ctx.sql, { subject: input.id });
    return await post();
  }),

  rotateWebhookSecret: operatorProcedure.input(rotateInput).mutation(async ({ ctx, input }) => {
    const webhookSecret = await rotate(ctx, ctx.caller.accountId, "webhook_secret", input);
    return { webhookSecret, webhookSecretStandard: standardSecret(webhookSecret) };
  }),

  rotateApiKey: operatorProcedure.input(rotateInput).mutation(async ({ ctx, input }) => ({
    apiKey: await rotate(ctx, ctx.caller.accountId, "api_key", input),
  })),

  rotateInboundToken: operatorProcedure.input(idInput).mutation(async ({ ctx, input }) => {
    const token = makeInboundToken(ctx.config.cell);
    if (!(await renewInboundToken(ctx.sql, ctx.caller.accountId, input.id, token))) throw notFound("site");
    return { inboundUrl: inboundUrl(ctx.config.publicGatewayUrl, token) };
  }),
});

async function readPause({ sql, caller: { accountId, role } }: Pick<CallerContext, "sql" | "caller">, siteId: string) {
  const act = await findPauser(sql, accountId, siteId);
  if (act === undefined) return null;
  const by = (await findMemberName(sql, accountId, act.actor)) ?? shownText(act.actor, role);
  return { at: new Date(uuidTime(act.id)).toISOString(), by };
}

/** @throws NOT_FOUND */
const readSite = async (sql: Sql, accountId: string, id: string) => (await findSite(sql, accountId, id)) ?? absent("site");

/** Whether the change makes or ends a secret, sends orders or their key elsewhere, or lets more requests in. */
function takesProof(former: SiteRow, input: z.output<typeof updateSiteInput>): boolean {
  const { sourceSecret, reconcile, url, requireTimestamp, requireSignedTimestamp, rateLimitPerSecond, idempotencyHours } = input;
  return (
    sourceSecret !== undefined ||
    reconcile !== undefined ||
    (url !== undefined && url !== former.url) ||
    requireTimestamp === false ||
    requireSignedTimestamp === false ||
    rateLimitPerSecond === null ||
    (rateLimitPerSecond !== undefined && rateLimitPerSecond > (former.rate_limit_per_second ?? Infinity)) ||
    (idempotencyHours !== undefined && (idempotencyHours ?? 0) < (former.idempotency_hours ?? 0))
  );
}

/** The most sites of an account. */
const mostSites = 500;

/** Creates a site with its API key and webhook secret, which nobody can read again. */
async function createSite(maker: SecretMaker, accountId: string, input: z.output<typeof createSiteInput>) {
  const { sql } = maker;
  if ((await countSites(sql, accountId)) >= mostSites)
    throw conflict("An account has at most {most} sites: delete an unused one, or create another account", { most: mostSites });
  const id = newId();
  await insertSite(sql, { id, account_id: accountId, inbound_token: makeInboundToken(maker.config.cell), ...toNewSite(input) });
  const site = await readSite(sql, accountId, id);
  const apiKey = await addApiKey(maker, site);
  const webhookSecret = await makers.webhook_secret(maker, site);
  if (input.sourceSecret != null) await addSecret(maker, site, "source_secret", input.sourceSecret);
  return { site: await readSite(sql, accountId, id), apiKey, webhookSecret };
}

const toNewSite = (input: z.output<typeof createSiteInput>) => ({
  mode: input.mode ?? ("live" as const),
  name: input.name,
  url: input.url,
  source_type: input.sourceType,
  test_phone: input.testPhone ?? null,
  require_signed_timestamp: input.requireSignedTimestamp ?? false,
  idempotency_hours: input.idempotencyHours ?? null,
  hold_messages: input.holdMessages ?? false,
  retry_after_answer: input.retryAfterAnswer ?? true,
  country: input.country ?? null,
  topic_map: input.topics ?? {},
  normalize_phones: phoneMode(input.normalizePhones) ?? (sources[input.sourceType].normalizesPhones ? ("shop" as const) : ("off" as const)),
});

/** Phones that arrive on the site's own path are made E.164 only if the site says so. */
const phoneMode = (isOn: boolean | undefined): "all" | "off" | undefined => (isOn === undefined ? undefined : isOn ? "all" : "off");

/** A member that is absent from the input stays as it is; null clears. */
function toPatch({ topics, normalizePhones, ...input }: z.output<typeof updateSiteInput>): SitePatch {
  const { id: _, ifUpdatedAt: __, sourceSecret: ___, overlapSeconds: ____, reconcile: _____, ...same } = input;
  const mode = phoneMode(normalizePhones);
  return {
    ...snakeCased(same),
    ...(topics !== undefined && { topic_map: topics ?? {} }),
    ...(mode !== undefined && { normalize_phones: mode }),
  };
}

const makers = {
  api_key: addApiKey,
  webhook_secret: (maker: SecretMaker, site: SiteRow) => addSecret(maker, site, "webhook_secret", makeWebhookSecret()),
};

/**
 * Replaces the site's current key or secret and answers the new one, which nobody can read again. The old one stays valid for `overlapSeconds`; 0 ends it at
 * once, with all that were replaced before.
 */
async function rotate(
  maker: SecretMaker,
  accountId: string,
  kind: keyof typeof makers,
  { id, overlapSeconds }: z.output<typeof rotateInput>,
): Promise<string> {
  await makeRoom(maker.sql, accountId, kind, id, overlapSeconds);
  return makers[kind](maker, await readSite(maker.sql, accountId, id));
}

/** Stores or removes the key of the shop's REST API; answers whether that changed anything. A site whose shop cannot be asked has none. */
async function changeReconcile(
  { sql, vault }: SecretMaker,
  { id, account_id, source_type, reconcile }: SiteRow,
  key: z.output<typeof updateSiteInput>["reconcile"],
): Promise<boolean> {
  const canAsk = sources[source_type].orders !== null;
  if (key != null && !canAsk) {
    const source = sourceTypes.flatMap((type) => (sources[type].orders === null ? [] : sourceTitles[type])).join(" / ");
    throw invalidInput([{ path: ["reconcile"], said: say("Only a {source} site can have a shop key", { source }) }]);
  }
  if (key != null) {
    await lockSites(sql, account_id, [id]);
    const [seal, secretId] = [await vault.sealer(sql), newId()];
    const secret = seal(`${key.consumerKey}:${key.consumerSecret}`, secretPlace(account_id, secretId));
    await setReconcile(sql, id, { id: secretId, secret, hint: secretHint(key.consumerKey) });
    return true;
  }
  const ends = reconcile !== null && (key === null || !canAsk);
  if (ends) await removeReconcile(sql, id);
  return ends;
}

type SecretMaker = Pick<AdminContext, "sql" | "vault"> & { config: Pick<AdminContext["config"], "cell"> };

/** The site must have no current API key. Only the key's digest is stored. */
async function addApiKey({ sql, config }: SecretMaker, { id: siteId, mode }: SiteRow): Promise<string> {
  const { key, hash, hint } = makeSiteKey(siteId, { mode, cell: config.cell });
  await insertSiteSecret(sql, { id: newId(), site_id: siteId, kind: "api_key", key_hash: hash, hint });
  return key;
}

/** The site must have no current secret of the kind. Answers the secret. */
async function addSecret(
  { sql, vault }: SecretMaker,
  { id: siteId, account_id: accountId, mode }: SiteRow,
  kind: "webhook_secret" | "source_secret",
  secret: string,
): Promise<string> {
  const seal = await vault.sealer(sql);
  const id = newId();
  const hint = kind === "webhook_secret" ? webhookSecretHint(secret) : secretHint(secret);
  const place = secretPlace(accountId, id, kind, mode);
  await insertSiteSecret(sql, { id, site_id: siteId, kind, secret: seal(secret, place), hint });
  return secret;
}

const presentSite =
  ({ config }: Pick<AdminContext, "config">, role: Role) =>
  (row: SiteRow) => ({
    ...present(row, "id", "name", "url", "source_type", "mode", "enabled"),
    testPhone: row.test_phone && shownPhone(row.test_phone, role),
    ...present(
      row,
      "require_timestamp",
      "require_signed_timestamp",
      "rate_limit_per_second",
      "hold_messages",
      "retry_after_answer",
      "idempotency_hours",
    ),
    apiKeyHint: row.key_hint,
    /** The last characters of the shop's secret; null without one. */
    sourceSecretHint: row.source_hint,
    /** The address that the shop posts to; null for roles that may not know it. */
    inboundUrl: may(role, "seeInboundUrl") ? inboundUrl(config.publicGatewayUrl, row.inbound_token) : null,
    // `topicMap`: the operator's own events of topics; `sites.get` lists the topics that were seen.
    ...present(row, "connected_at", "pinged_at", "country", "topic_map"),
    normalizePhones: row.normalize_phones !== "off",
    /** The last fetch of orders that the shop did not post; null without a key. */
    reconcile: row.reconcile && {
      keyHint: row.reconcile.hint,
      since: new Date(row.reconcile.since).toISOString(),
      lastRunAt: row.reconcile.last_at && new Date(row.reconcile.last_at).toISOString(),
      /** Orders that the last run took. */
      taken: row.reconcile.taken,
      problem: row.reconcile.problem && {
        code: row.reconcile.problem.code,
        reason: describeReason(row.reconcile.problem),
        /** The problem as data. */
        reasonCode: row.reconcile.problem,
        since: new Date(row.reconcile.problem_since ?? row.reconcile.since).toISOString(),
      },
    },
    ...present(row, "created_at", "updated_at"),
    lastEventAt: row.last_event_id && new Date(uuidTime(row.last_event_id)).toISOString(),
  });

/** `expiresAt`: when a replaced secret ends; null for the current one. `lastUsedAt` may be a minute behind. */
const presentSecret = (row: SiteSecretRow) => present(row, "id", "kind", "hint", "created_at", "expires_at", "last_used_at");

/** Shows a refused request. Its sender chose headers and body, which may therefore name anybody. */
function presentRefused(row: RefusedRequestRow, site: Pick<SiteRow, "source_type"> & { secrets: readonly string[] }, role: Role) {
  const isShown = may(role, "seePhones");
  return {
    // `skipped`: requests just after it that are not listed.
    ...present(row, "id", "because", "bytes", "sha256", "skipped"),
    at: new Date(uuidTime(row.id)).toISOString(),
    ...explainRefused(row.because, site.source_type, row.headers, site.secrets),
    event: shownText(row.event, role),
    headers: isShown ? row.headers : null,
    start: isShown ? row.start : null,
  };
}

const answerMs = 10_000;

/** The example order, with the customer's phone or that of the example, which nobody has; signed as the site's own backend would; the call that is answered posts it to the gateway's public address. It is a live event. */
async function signExample(context: AdminContext, accountId: string, { id, event, phone }: z.output<typeof sendExampleInput>) {
  const { sql, vault, config, clock } = context;
  const site = (await findSite(sql, accountId, id)) ?? absent("site");
  if (site.source_type !== "generic") throw conflict("A shop posts its events by itself: place an order there");
  const sealed = await findCurrentSecret(sql, id, "webhook_secret");
  const secret =
    sealed === undefined ? null : readRecord(vault, sealed.secret, secretPlace(accountId, sealed.id, "webhook_secret", site.mode));
  if (secret === null) throw conflict("The site's webhook secret cannot be read: rotate it");
  const customer = { ...examplePayload.customer, ...(phone !== undefined && { phone_e164: phone }) };
  const body = Buffer.from(JSON.stringify({ ...examplePayload, type: event, event, customer }));
  const signed = { id: randomUUID(), timestamp: String(Math.floor(clock().getTime() / 1000)) };
  const headers = {
    "content-type": "application/json",
    "webhook-id": signed.id,
    "webhook-timestamp": signed.timestamp,
    "webhook-signature": signStandard(standardSecret(secret), signed, body),
  };
  return async (): Promise<{ eventId: string }> => {
    const { status, answer } = await post(config.publicGatewayUrl, inboundUrl(config.publicGatewayUrl, site.inbound_token), headers, body);
    if (answer.event_id === undefined)
      throw conflict("The gateway refused the event ({status}): {reason}", { status, reason: answer.error ?? say("it gave no reason") });
    return { eventId: answer.event_id };
  };
}

async function post(gateway: string, url: string, headers: Record<string, string>, body: Buffer<ArrayBuffer>) {
  try {
    const response = await fetch(url, { method: "POST", headers, body, redirect: "error", signal: AbortSignal.timeout(answerMs) });
    return { status: response.status, answer: (await response.json()) as { event_id?: string; error?: string } };
  } catch {
    throw conflict("The gateway does not answer at {gateway}: check that it runs, and PUBLIC_GATEWAY_URL", { gateway });
  }
}
