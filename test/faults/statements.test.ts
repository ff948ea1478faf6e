import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { root } from "../architecture/graph.ts";
import { failings, impatient, judge } from "./harness/judge.ts";
import { isLong } from "./harness/scale.ts";
import { type Lane, openLane, removals } from "./harness/trips.ts";
import { writesOfGateway } from "./harness/writes.ts";

/** Every statement by which a gateway writes, and the journeys that meet it where it stands, the shortest first. */
const judged: Record<string, readonly string[]> = {
  // an event
  "takeSiteRates: take site_rate": ["limited"],
  "claimStatement: insert into event_payload": ["waited for", "queued"],
  "takeKeys: insert into idempotency": ["keyed"],
  "takeAlso: insert into idempotency": ["shops"],
  "takeNeeded: insert into idempotency": ["shops"],
  "storeHistories: insert into shop_history": ["shops"],
  "storeOrders: insert into customer_order": ["waited for", "queued"],
  "storeEvents: insert into event": ["waited for", "queued"],
  "logNotifications: insert into notification": ["waited for"],
  "queueMessages: insert into waiting_message": ["queued"],
  "insertTurns: insert into recipient_turn": ["twice"],
  "stopMessages: delete from waiting_message": ["replaced"],
  "rememberCancels: insert into idempotency": ["foreseen"],
  "lookBack: delete from idempotency": ["foreseen"],
  "takeThrottled: insert into throttle": ["throttled"],
  "giveThrottledBack: update throttle": ["throttled in vain"],
  "takeSlots: insert into number_pace": ["too fast"],
  "slowDown: update number_pace": ["too fast"],
  "settleStatement: update event": ["waited for", "keyed", "left"],
  "applyResults: update notification": ["waited for", "queued", "left"],
  "markNext: update notification": ["waves"],
  // what waits
  "takeFirst: update waiting_message": ["queued", "twice"],
  "endWaiting: delete from waiting_message": ["queued", "twice"],
  "recordOthers: update notification": ["unbound"],
  "postpone: update waiting_message": ["retried"],
  "turnedOn: update recipient_turn": ["queued", "twice"],
  "noteLate: insert into notification_late": ["queued"],
  "noteLateOf: insert into notification_late": ["replaced", "callbacks"],
  // what another gateway has left, or this one cannot finish
  "giveBackEvents: insert into event_due": ["unsettled"],
  "listLeft: insert into event_due": ["left"],
  "listLeft: update webhook_delivery": ["left"],
  "listLeft: delete from gateway": ["left"],
  "giveBack: update waiting_message": ["unrecorded", "taken in vain", "left"],
  "giveBack: update notification": ["unrecorded", "left"],
  "takeOverEvents: update event": ["left", "unsettled"],
  "markSending: update event_due": ["left"],
  "finishFromLog: update event": ["left", "unsettled"],
  "giveBackTakenOver: update event_due": ["finished in vain"],
  "renewGatewayLease: insert into gateway": ["queued"],
  // endpoints
  "tellStatuses: insert into webhook_delivery": ["waited for", "queued", "callbacks"],
  "tellOfPeople: insert into webhook_delivery": ["callbacks"],
  "takeDeliveries: update webhook_delivery": ["queued"],
  "recordAttempts: update webhook_delivery": ["queued", "endpoint fails"],
  "recordAttempts: update webhook": ["endpoint fails"],
  "recordAttempts: update webhook (2)": ["endpoint fails"],
  "giveBackDeliveries: update webhook_delivery": ["endpoint fails", "attempt unrecorded", "delivery taken in vain"],
  "giveUpDisabled: update webhook_delivery": ["endpoint off"],
  // what the platform says
  "applyStatuses: update notification": ["callbacks"],
  "noteCallback: insert into platform_callback": ["callbacks"],
  "countPrices: insert into notification_price": ["news"],
  "learnUsers: insert into platform_user": ["news"],
  "deleteOptOutsOf: delete from opt_out": ["news"],
  "moveUsers: delete from platform_user": ["news"],
  "moveUsers: insert into platform_user": ["news"],
  "heedNews: update platform_account": ["news"],
  "keepNotices: insert into platform_notice": ["news"],
  "keepNotices: delete from platform_notice": ["news"],
  "hurryWatch: insert into alert_watch": ["news"],
  "queueHeld: insert into waiting_message (2)": ["refused for a while"],
  "limitNumber: update platform_account": ["number limited"],
  "takeNumberProbe: update platform_account": ["number limited"],
  "freeNumber: update platform_account": ["number limited"],
  "upsertOptOuts: insert into opt_out": ["callbacks", "opted out"],
  "writeSyncedTemplates: update template": ["templates"],
  "hurryTemplatePoll: update template_poll": ["templates"],
  "stopAccount: update platform_account": ["account refused"],
  "stopAccountByCallback: update platform_account": ["account stopped"],
  "takeProbe: update platform_account": ["account refused"],
  "resumeAccount: update platform_account": ["account refused"],
  // what falls due
  "dueWork: update requested_event": ["asked for"],
  "dueWork: update requested_event (3)": ["asked for"],
  "dueWork: update requested_event (4)": ["asked for in vain"],
  "dueWork: update reconcile": ["fetched"],
  "dueWork: update reconcile (2)": ["fetched"],
  "dueWork: update reconcile (3)": ["fetched"],
  "dueWork: update reconcile (4)": ["fetched in vain"],
  // what shops say
  "changeHistory: insert into shop_history": ["shops"],
  "makeReconcileDue: update reconcile": ["shops"],
  "noteTopic: insert into site_topic": ["shops"],
  "takeKey: insert into idempotency": ["shops"],
  "insertShopErasure: insert into erasure_request": ["shops"],
  "insertAuditEntry: insert into audit_value": ["shops"],
  // counts and notes
  "noteConnected: update site": ["waited for"],
  "notePinged: update site": ["shops"],
  "noteReplays: update event": ["keyed"],
  "noteSecretUses: update site_secret": ["waited for"],
  "noteBindingUses: insert into binding_use": ["limited"],
  "addProvenRequests: insert into site_proven": ["waited for"],
  "addRefusedRequests: insert into refused_request": ["refused"],
  "addRefusedRequests: delete from refused_request": ["refused"],
  "noteSends: insert into send_count": ["waited for"],
  "noteSends: delete from send_count": ["waited for"],
  // housekeeping
  "forgetExpiredKeys: delete from idempotency": ["queued"],
  "forgetThrottles: delete from throttle": ["queued"],
  "forgetEndedSecrets: delete from site_secret": ["queued"],
  "makePartition: make week_partition": ["queued"],
};

/** What is in reach of a gateway's code, and which it never runs on its way. */
const neverRun: Record<string, string> = {
  "queueHeld: insert into waiting_message":
    "a message that the platform takes and then refuses is sent twice, as it must be; test/e2e/whatsapp-2026.test.ts has it",
  "endWaiting: update waiting_message":
    "a report does not come before the send is recorded here; test/e2e/whatsapp-2026.test.ts has it do so",
  "dueWork: update requested_event (2)": "a request for an event is not extended",
  "insertVaultKey: insert into vault_key": "a gateway that cannot do it does not start",
};

const writes = writesOfGateway();

/** The tables whose rows each table's rows hang on. */
const parents = new Map(
  readFileSync(join(root, "shared/src/db/schema.sql"), "utf8")
    .split("\ncreate table ")
    .map((text) => [
      /^[\w.]+/u.exec(text)?.[0] ?? "",
      [...text.matchAll(/FOREIGN KEY .* REFERENCES ([\w.]+)/gu)].map(([, name = ""]) => name),
    ]),
);
const hangsOn = (table: string): readonly string[] => parents.get(table) ?? [];

it("every statement by which a gateway writes has a journey that meets it", () => {
  expect(writes.map(({ name }) => name).toSorted()).toEqual([...Object.keys(judged), ...Object.keys(neverRun)].toSorted());
});

it("nothing that a gateway writes hangs on a user", () => {
  const all = new Set(writes.flatMap(({ table }) => hangsOn(table)));
  expect([...all].toSorted()).toEqual(["account", "backfill", "binding", "platform_account", "site", "site_secret", "webhook"]);
});

/** A foreign key can only be gone where a row has one. */
const fits = (how: string, table: string): boolean => how !== "a foreign key is gone" || hangsOn(table).length > 0;
const ways = Object.keys(failings) as (keyof typeof failings)[];
const deletions = Object.keys(removals).flatMap((what) =>
  (["gone", "goes"] as const).map((when) => `${what as keyof typeof removals} ${when}` as const),
);

/** The statements that take, record or hand back messages, events and deliveries. */
const recording =
  /^(?:settle|applyResults|endWaiting|queueHeld|learnUsers|countPrices|heedNews|recordAttempts|postpone|turnedOn|giveBack|finishFromLog|markSending|take(?:First|Deliveries|OverEvents))/u;

/** In full each statement fails in all ways on all journeys, and while everything is deleted; else those do that record, each in one way, and every fourth beside a deletion. */
const cases = writes.flatMap((write, i) => {
  const met = judged[write.name] ?? [];
  const fitting = ways.filter((how) => fits(how, write.table));
  const one = i % 4 === 3 ? deletions[(i >> 2) % deletions.length] : fitting[i % fitting.length];
  const chosen = isLong ? [...fitting, ...deletions] : recording.test(write.name) && one !== undefined ? [one] : [];
  return (met.length > 0 ? chosen : []).map((how, n) => {
    const journeys = isLong && how in failings ? met : met.slice(0, 1);
    return [`${write.name}, ${how}`, { write, how, journeys, tells: (i + n) % 2 === 1 }] as const;
  });
});

describe.concurrent("nothing stays behind", () => {
  const lanes: Record<"patient" | "hasty", Lane[]> = { patient: [], hasty: [] };
  afterAll(async () => {
    for (const lane of Object.values(lanes).flat()) await lane[Symbol.asyncDispose]();
  });

  it.for(cases)("%s", { timeout: 3_600_000 }, async ([, { write, journeys, how, tells }]) => {
    const free = how === "late" ? lanes.hasty : lanes.patient;
    const lane = free.pop() ?? (await openLane(how === "late" ? impatient : {}));
    try {
      for (const journey of journeys) expect(await judge(lane, writes, write, { journey, how, tells })).toEqual([]);
    } finally {
      free.push(lane);
    }
  });
});
