import { setTimeout } from "node:timers/promises";
import { tracked } from "@trpc/server";
import { clientIdMember, idInput } from "shared/core/input/values";
import {
  createWebhookInput,
  countDeliveriesInput,
  listDeliveriesInput,
  listWebhooksInput,
  mostWebhooks,
  replayFailedInput,
  rotateOutboundInput,
  tailWebhooksInput,
  testWebhookInput,
  updateWebhookInput,
} from "shared/core/input/webhooks";
import { type Role, may } from "shared/core/role";
import { uuidFloor, uuidTime } from "shared/core/uuid";
import { exampleBody } from "shared/core/webhook";
import { say } from "shared/core/wording";
import { newId } from "shared/db/ids";
import { insertItems } from "shared/db/operation/items";
import { advanceByCall } from "shared/db/operation/operation";
import { findSite, lockSites } from "shared/db/site";
import { insertSiteSecret } from "shared/db/site-secret";
import { countRows, type LogPage, type Sql, snakeCased } from "shared/db/statement";
import {
  type DeliveryRow,
  areManyWaiting,
  countGone,
  findDelivery,
  findDeliveryWalkEnd,
  insertDelivery,
  listDeliveries,
  rateEndpoints,
  readRecentStatuses,
  replayDelivery,
  replayFailed,
} from "shared/db/webhook/log";
import {
  type WebhookRow,
  countWebhooks,
  deleteWebhook,
  findWebhook,
  insertWebhook,
  listWebhooks,
  updateWebhook,
} from "shared/db/webhook/webhook";
import { addressProblem } from "shared/guarded-request";
import { readRowCodec } from "shared/sealing/account-rows";
import { bodyOf } from "shared/sealing/delivery-body";
import { readValue } from "shared/secrets/row-codec";
import { makeOutboundSecret, outboundSecretHint } from "shared/secrets/signature";
import { type Vault, secretPlace } from "shared/secrets/vault";
import type { z } from "zod";
import type { AdminContext, CallerContext } from "../context.ts";
import { beginOperation, refuseTooManyOperations } from "../operations/begin.ts";
import { whileLetIn } from "../session/sessions.ts";
import { Refusal, absent, conflict, invalidInput, notFound, requireUnchanged } from "../trpc/errors.ts";
import { countRest, countStretches, endingAt, present, readPage, readStretches, requireSite, toLogPage } from "../trpc/paging.ts";
import { requireProofOfPerson } from "../trpc/roles.ts";
import { readFoundEvents } from "../trpc/search.ts";
import { makeRoom } from "../trpc/site-secrets.ts";
import { once, operatorProcedure, readerProcedure, router, viewerProcedure } from "../trpc/trpc.ts";

/** The most endpoints of a site: each costs a row for each status. */
const mostOfSite = 10;
/** The most tests of an endpoint that have not arrived. */
const mostTests = 20;

const creating = operatorProcedure.input(createWebhookInput.extend(clientIdMember)).use(
  once(async ({ sql, caller }, id) => {
    const row = (await findWebhook(sql, caller.accountId, id)) ?? absent("webhook");
    return { webhook: presentWebhook(row, caller.role) };
  }),
);

export const webhooksRouter = router({
  create: creating.mutation(async ({ ctx, input }) => {
    const { accountId, role } = ctx.caller;
    requireReachable(ctx.config, input.url);
    // Two first endpoints at the same moment share a secret.
    if (!(await lockSites(ctx.sql, accountId, [input.siteId])).has(input.siteId)) throw notFound("site");
    const count = await countWebhooks(ctx.sql, accountId, input.siteId);
    if (count.of_site >= mostOfSite)
      throw conflict("A site has at most {most} endpoints: delete one that is not used", { most: mostOfSite });
    if (count.of_account >= mostWebhooks)
      throw conflict("An account has at most {most} endpoints: delete one that is not used", { most: mostWebhooks });
    const { siteId, url, types, enabled = true } = input;
    const id = newId();
    await insertWebhook(ctx.sql, { id, account_id: accountId, site_id: siteId, url, types, enabled });
    const secret = count.of_site === 0 ? await renewSecret(ctx, accountId, siteId, 0) : undefined;
    const row = (await findWebhook(ctx.sql, accountId, id)) ?? absent("webhook");
    return { webhook: presentWebhook(row, role), ...(secret !== undefined && { secret }) };
  }),

  list: viewerProcedure.input(listWebhooksInput).query(async ({ ctx, input }) => {
    const { accountId, role } = ctx.caller;
    await requireSite(ctx.sql, accountId, input.siteId);
    return readPage(
      "webhooks",
      input,
      async (page) => {
        const rows = await listWebhooks(ctx.sql, accountId, input.siteId, page);
        const ids = rows.map(({ id }) => id);
        const rates = await rateEndpoints(ctx.sql, ids);
        return rows.map((row) => ({ ...row, rated: rates.find(({ id }) => id === row.id) ?? absent("webhook") }));
      },
      ({ rated, ...row }) => ({ ...presentWebhook(row, role), ...rated }),
    );
  }),

  update: operatorProcedure.input(updateWebhookInput).mutation(async ({ ctx, input: { id, ifUpdatedAt, ...patch } }) => {
    const { accountId, role } = ctx.caller;
    if (patch.url !== undefined) requireProofOfPerson(ctx.caller);
    if (patch.url !== undefined) requireReachable(ctx.config, patch.url);
    const former = (await findWebhook(ctx.sql, accountId, id)) ?? absent("webhook");
    await requireUnchanged(former, { ifUpdatedAt }, () => presentWebhook(former, role));
    const row = (await updateWebhook(ctx.sql, accountId, id, snakeCased(patch))) ?? absent("webhook");
    return { webhook: presentWebhook(row, role) };
  }),

  delete: operatorProcedure.input(idInput).mutation(async ({ ctx, input }) => {
    if (!(await deleteWebhook(ctx.sql, ctx.caller.accountId, input.id))) throw notFound("webhook");
    return { id: input.id };
  }),

  rotateSecret: operatorProcedure.input(rotateOutboundInput).mutation(async ({ ctx, input }) => {
    return { site: { id: input.siteId }, secret: await renewSecret(ctx, ctx.caller.accountId, input.siteId, input.overlapSeconds) };
  }),

  test: operatorProcedure.input(testWebhookInput).mutation(async ({ ctx, input }) => {
    const { accountId } = ctx.caller;
    const webhook = await requireEnabled(ctx.sql, accountId, input.id);
    if (await areManyWaiting(ctx.sql, webhook.id, mostTests))
      throw conflict("{most} test events are already waiting for this endpoint: wait until they have arrived", { most: mostTests });
    const type = input.type ?? webhook.types[0] ?? "message.sent";
    const id = newId();
    const rows = await readRowCodec(ctx.sql, ctx.vault, accountId);
    const now = new Date();
    const payload = rows.seal(JSON.stringify(exampleBody(type, webhook.site_id, now)), "webhook_delivery.payload", id);
    await insertDelivery(ctx.sql, { id, webhook_id: webhook.id, site_id: webhook.site_id, type, payload, occurred_at: now });
    return { delivery: { id } };
  }),
});

export const webhookDeliveriesRouter = router({
  list: readerProcedure.input(listDeliveriesInput).query(async ({ ctx, input }) => {
    const { list, endOf } = await readingDeliveries(ctx, input);
    return await readPage(
      "webhookDeliveries",
      input,
      (page) => readStretches(toLogPage(input, page), endingAt(endOf), list),
      presentDelivery,
    );
  }),

  count: readerProcedure.input(countDeliveriesInput).query(async ({ ctx, input }) => {
    const { list, endOf } = await readingDeliveries(ctx, input);
    return await countRest("webhookDeliveries", input, (page) =>
      countStretches(toLogPage(input, page), endingAt(endOf), (part) => countRows(ctx.sql, list(part))),
    );
  }),

  /** The delivery with its attempts; body and answer only for roles that see phones. */
  get: viewerProcedure.input(idInput).query(async ({ ctx, input }) => {
    const { accountId, role } = ctx.caller;
    const row = (await findDelivery(ctx.sql, accountId, input.id)) ?? absent("delivery");
    const rows = await readRowCodec(ctx.sql, ctx.vault, accountId);
    const answer = readValue(rows, row.answer, "webhook_delivery.answer", row.id, null);
    const isShown = may(role, "seePhones");
    return {
      delivery: {
        ...presentDelivery(row),
        notificationId: row.notification_id,
        tries: row.tries,
        body: isShown ? bodyOf({ ...row, type: row.stored_type }, rows) : null,
        answer: isShown && answer !== null ? (JSON.parse(answer) as { head: string; body: string; isCut: boolean }) : null,
      },
    };
  }),

  replay: operatorProcedure.input(idInput).mutation(async ({ ctx, input }) => {
    const { accountId } = ctx.caller;
    const row = (await findDelivery(ctx.sql, accountId, input.id)) ?? absent("delivery");
    await requireEnabled(ctx.sql, accountId, row.webhook_id);
    if (!(await replayDelivery(ctx.sql, input.id))) throw conflict("The delivery is being sent now, or its text is no longer kept");
    const replayed = await findDelivery(ctx.sql, accountId, input.id);
    return { delivery: presentDelivery(replayed ?? row) };
  }),

  /** At most 10,000 at a time, the oldest first; `count` says how many. */
  replayFailed: operatorProcedure.input(replayFailedInput).mutation(async ({ ctx, input }) => {
    const { accountId } = ctx.caller;
    const { webhookId, siteId, webhookIds = webhookId === undefined ? undefined : [webhookId] } = input;
    const webhooks = await Promise.all((webhookIds ?? []).map((id) => requireEnabled(ctx.sql, accountId, id)));
    await requireSite(ctx.sql, accountId, siteId);
    await refuseTooManyOperations(ctx.sql, accountId);
    const filter = { ...(await toDeliveryFilter(ctx, input)), webhookIds };
    const gone = await countGone(ctx.sql, accountId, filter);
    const replayed = await replayFailed(ctx.sql, accountId, filter);
    const count = replayed.length;
    const about = { site_id: siteId ?? (webhooks.length === 1 ? webhooks[0]?.site_id : null) ?? null, subject_id: webhookId ?? null };
    const asked = { kind: "replay_deliveries" as const, total: count + gone, asked_at: new Date(), ...about };
    const { id } = await beginOperation(ctx.sql, ctx.caller, asked);
    await insertItems(ctx.sql, id, replayed);
    await advanceByCall(ctx.sql, id, { made: count, without: gone, changes: { waiting: count, skipped: gone } });
    /** `gone`: those whose text is no longer kept. */
    return { ...(webhookId !== undefined && { webhook: { id: webhookId } }), operation: { id }, count, gone };
  }),
});

async function requireEnabled(sql: Sql, accountId: string, id: string): Promise<WebhookRow> {
  const webhook = (await findWebhook(sql, accountId, id)) ?? absent("webhook");
  if (!webhook.enabled) throw conflict("The endpoint is off: switch it on first");
  return webhook;
}

/** Refuses addresses that the gateway would not dial, as far as the address itself tells. */
function requireReachable({ allowPrivate }: AdminContext["config"], address: string): void {
  const problem = addressProblem(address, allowPrivate);
  if (problem !== null) throw invalidInput([{ path: ["url"], said: problem }]);
}

/** The site's new outbound secret, which nobody can read again. */
async function renewSecret({ sql, vault }: { sql: Sql; vault: Vault }, accountId: string, siteId: string, overlapSeconds: number) {
  await makeRoom(sql, accountId, "outbound_secret", siteId, overlapSeconds);
  const [id, secret] = [newId(), makeOutboundSecret()];
  const seal = await vault.sealer(sql);
  const sealed = seal(secret, secretPlace(accountId, id));
  await insertSiteSecret(sql, { id, site_id: siteId, kind: "outbound_secret", secret: sealed, hint: outboundSecretHint(secret) });
  return secret;
}

/** Shows an endpoint. Its address may hold a secret of its own, so people who may change nothing see only the host. */
const presentWebhook = (row: WebhookRow, role: Role) => ({
  url: may(role, "seeInboundUrl") ? row.url : `${new URL(row.url).origin}/…`,
  ...present(row, "id", "site_id", "types", "enabled", "disabled_because", "failing_since", "created_at", "updated_at", "number_at_host"),
});

const presentDelivery = (row: DeliveryRow) => ({
  ...present(row, "id", "webhook_id", "site_id", "type", "event_id", "attempts", "status", "last_status_code", "last_error", "occurred_at"),
  nextAttemptAt: row.status === "pending" ? (row.due_at?.toISOString() ?? null) : null,
  createdAt: new Date(uuidTime(row.id)).toISOString(),
});

const pollMs = 500;
/** Messages that were made longer ago are not looked at. */
const oldestMs = 31 * 86_400_000;
/** A status may be stored so much later than its time says; a stream that goes on tells these again, with the ids that they had. */
const lateMs = 60_000;
/** The most streams of the server: each asks the database twice a second. */
const mostStreams = 50;
let streams = 0;

export const webhookTailRouter = router({
  /** What endpoints of a site would be told of its messages from now on, or from where the stream before has ended. */
  tail: operatorProcedure
    .input(tailWebhooksInput)
    .subscription(({ ctx, input, signal }) => whileLetIn(ctx, signal ?? ctx.stopping, (ended) => tailWebhooks(ctx, input, ended))),
});

async function* tailWebhooks(context: CallerContext, { siteId, lastEventId }: z.output<typeof tailWebhooksInput>, ended: AbortSignal) {
  const { sql, vault, clock, stopping, caller } = context;
  const { accountId } = caller;
  if ((await findSite(sql, accountId, siteId)) === undefined) throw notFound("site");
  if (streams >= mostStreams) throw new Refusal("TOO_MANY_REQUESTS", say("Too many programs listen at this server: try again later"));
  streams += 1;
  const leave = AbortSignal.any([ended, stopping]);
  // The platform tells times in whole seconds.
  const begun = Math.floor(clock().getTime() / 1000) * 1000;
  const since = Math.min(begun, Number(lastEventId ?? begun));
  let told = new Set<string>();
  try {
    // A first item, empty if need be, tells that the stream has begun, and from where the next one would go on.
    for (let isFirst = true; !leave.aborted; isFirst = false) {
      const now = clock().getTime();
      const found = await readRecentStatuses(sql, siteId, uuidFloor(now - oldestMs), new Date(since));
      const rows = await readRowCodec(sql, vault, accountId);
      const deliveries = found
        .filter(({ id }) => !told.has(id))
        .flatMap((status) => {
          const body = bodyOf(status, rows);
          return body === null ? [] : [{ id: status.id, type: status.type, body }];
        });
      told = new Set(found.map(({ id }) => id));
      if (isFirst || deliveries.length > 0) yield tracked(String(Math.max(since, now - lateMs)), { deliveries });
      await setTimeout(pollMs, undefined, { signal: leave }).catch(() => undefined);
    }
  } finally {
    streams -= 1;
  }
}

/** The filter with the events that its text finds. */
async function toDeliveryFilter<Input extends { siteId?: string | undefined; search?: string | undefined }>(
  { sql, vault, caller: { accountId, role } }: CallerContext,
  { search, ...input }: Input,
) {
  if (search === undefined) return { ...input, found: undefined };
  const rows = await readRowCodec(sql, vault, accountId);
  return { ...input, found: await readFoundEvents({ sql, accountId, role, rows }, { siteId: input.siteId, search }) };
}

/** How a page of deliveries is read: its rows, and where a stretch of it ends. */
async function readingDeliveries(context: CallerContext, input: z.output<typeof countDeliveriesInput>) {
  const { sql } = context;
  const { accountId } = context.caller;
  const filter = await toDeliveryFilter(context, input);
  return {
    list: (part: LogPage) => listDeliveries(sql, accountId, filter, part),
    endOf: (rest: LogPage, most: number) => findDeliveryWalkEnd(sql, accountId, filter, rest, most),
  };
}
