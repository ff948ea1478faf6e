import { parseJson, type JsonObject } from "shared/core/json";
import type { BindingToPlan } from "shared/core/plan";
import { type RequestProblem, type SampleValues, sampleMap } from "shared/core/requested";
import { hasExpired } from "shared/core/schedule/due";
import { uuidTime } from "shared/core/uuid";
import { findBinding } from "shared/db/binding";
import { isStored } from "shared/db/event/answer";
import { readStoredEvents } from "shared/db/event/stored";
import { type Lease, workOffDue } from "shared/db/owned";
import { type ClaimedRequest, finishRequest, requests } from "shared/db/requested-event";
import type { Sql } from "shared/db/statement";
import { findTemplate } from "shared/db/template";
import { readToReplay } from "shared/sealing/account-rows";
import { readValue } from "shared/secrets/row-codec";
import { repeat } from "shared/server/retry";
import type { GatewayContext } from "../context.ts";
import type { Answer, Take } from "../ingest/answer.ts";
import type { AuthenticEvent } from "../ingest/authenticate.ts";
import { type RefusalName, RequestRefused } from "../refusal.ts";
import type { SiteConfig, SiteDirectory } from "../sites/sites.ts";

const testMinutes = 10;
/** When an event that could not be taken is tried again, by its refusal. */
const againSeconds: Partial<Record<RefusalName, number>> = { full: 1, secret_unreadable: 60, account_moving: 60 };
const troubleSeconds = 5;

/**
 * Takes the events that people ask for in the dashboard, as if they had been posted once more: each is planned, claimed and queued like any other. Its id
 * is chosen before, so it is stored once, whichever gateway dies while it takes it. The returned function stops it.
 */
export function startRequested(context: GatewayContext, { sites, take }: { sites: Pick<SiteDirectory, "refresh">; take: Take }) {
  const { sql, clock, log, config } = context;
  const { statementMs: limitMs, requestedTickMs, restMs } = config.timeLimits;

  /** Takes the event; answers why there is none. */
  const takeRequested = async (request: ClaimedRequest): Promise<RequestProblem | null> => {
    let problem: RequestProblem | null = null;
    const readNow = async (): Promise<AuthenticEvent | Answer> => {
      const found = await read(context, await sites.refresh(request.site_id), request);
      if (typeof found !== "string") return found;
      problem = found;
      return { status: 200, body: "", eventId: null };
    };
    await take(readNow, { startedAt: clock.monotonic() });
    return problem;
  };

  const run = async (request: ClaimedRequest, lease: Lease): Promise<void> => {
    const { id, site_id: siteId } = request;
    // What comes of it, such as a delivery, follows at once.
    context.pulse?.stir();
    try {
      // An earlier try may have stored it.
      const problem = (await isStored(sql, siteId, id)) ? null : await takeRequested(request);
      await finishRequest(sql, id, lease, problem);
    } catch (error) {
      if (await isStored(sql, siteId, id)) return await finishRequest(sql, id, lease, null);
      const refusal = error instanceof RequestRefused ? error.refusal : null;
      if (refusal === null)
        log.warn({ err: error, siteId, event_id: id }, "an event that was asked for could not be taken and will be tried again");
      await requests.rest(sql, id, lease, (refusal && againSeconds[refusal]) ?? troubleSeconds);
    }
  };

  const how = { ...requests, seconds: 60, atOnce: 4, limitMs };
  const rest = { pulse: context.pulse, quietMs: restMs };
  return repeat((stopping) => workOffDue(sql, { ...how, stopping }, run), requestedTickMs, log, rest);
}

/** The requested event by the configuration of now, or the reason why there is none. */
async function read(context: GatewayContext, site: SiteConfig | null, request: ClaimedRequest): Promise<AuthenticEvent | RequestProblem> {
  if (site === null) return "site_deleted";
  if (!site.enabled) return "site_disabled";
  if (site.unreadable) throw new RequestRefused(site.unreadable);
  if (request.kind === "test") return await readTest(context, site, request);
  const { id, binding_id: bindingId, replay_of: original } = request;
  const [stored] = await readStoredEvents(context.sql, site.id, original === null ? [] : [original]);
  const event = readToReplay(site.rows, stored);
  if (typeof event === "string") return event;
  const binding = bindingId === null ? null : site.bindings.get(event.name)?.find((each) => each.id === bindingId);
  if (binding === undefined) return "binding_gone";
  // The message would have been too late by now, had the binding been there when the event came.
  if (hasExpired(binding?.schedule, event.payload, new Date(uuidTime(event.id)), context.clock.now())) return "expired";
  return { ...common, ...event, site, asked: { id, bindings: binding && [binding], testPhone: null } };
}

const common = { dryRun: false, queued: true, idempotencyKey: null, idUntil: null, isSignedId: false } as const;

async function readTest({ sql, clock }: GatewayContext, site: SiteConfig, request: ClaimedRequest) {
  const { id, name } = request;
  if (clock.now().getTime() - uuidTime(id) > testMinutes * 60_000) return "too_late";
  const text = readValue(site.rows, request.payload, "requested_event.payload", id, null);
  const testPhone = readValue(site.rows, request.phone, "requested_event.phone", id, null);
  if (text === null || name === null) return "payload_unreadable";
  if (testPhone === null && site.testPhone === null) return "no_test_phone";
  const payload = parseJson(text) as JsonObject;
  const bindings = await bindingsOf(sql, site, request, payload as SampleValues);
  if (typeof bindings === "string") return bindings;
  return { ...common, site, source: "dashboard", topic: null, name, payload, text, test: true, asked: { id, bindings, testPhone } };
}

/** The bindings of a test without their timing: the person who asks for it waits. */
async function bindingsOf(
  sql: Sql,
  site: SiteConfig,
  request: ClaimedRequest,
  values: SampleValues,
): Promise<BindingToPlan[] | RequestProblem> {
  if (request.template_id !== null) {
    const template = await findTemplate(sql, site.accountId, request.template_id);
    if (template === undefined) return "template_gone";
    return [{ id: request.template_id, recipient: { strategy: "test" }, variableMap: sampleMap(template.definition, values), template }];
  }
  if (request.binding_id === null) return (site.bindings.get(request.name ?? "") ?? []).map((each) => ({ ...each, schedule: null }));
  const binding = await findBinding(sql, site.accountId, request.binding_id);
  if (binding === undefined) return "binding_gone";
  const { id, recipient, variable_map: variableMap, template_id, template: name, language, status, definition, template_shape } = binding;
  const template = { id: template_id, name, language, status, definition, boundShape: template_shape };
  return [{ id, recipient, variableMap, template }];
}
