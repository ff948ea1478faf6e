import { Agent, request } from "undici";
import { grouped } from "../../core/text.ts";
import type { Sql } from "../../db/statement.ts";
import { signBody } from "../../secrets/signature.ts";
import type { Logger } from "../../server/logger.ts";
import type { Accounts } from "../accounts.ts";
import type { SandboxOptions } from "../config.ts";
import {
  nextCallbacks,
  deleteCallbacks,
  type DueCallback,
  listDueCallbacks,
  postponeCallbacks,
  type SandboxAccount,
  incomingKind,
} from "../store.ts";

/** Posts due updates to every account's callback. */
export type Courier = Awaited<ReturnType<typeof startCourier>>;

/** One account's timer: a slow or dead callback delays no other account. */
interface Round {
  wabaId: string;
  /** `Infinity` when nothing is expected. */
  nextAt: number;
  timer: NodeJS.Timeout | undefined;
  running: Promise<void> | undefined;
}

const longestSleepMs = 60_000;
const afterFailureMs = 1_000;

/** Starts the courier, which also posts the updates that an earlier run left. `stopping` aborts calls under way; the next start repeats them. */
export async function startCourier(outer: Omit<DeliveryContext, "dispatcher">) {
  const timeout = outer.options.callbackTimeoutMs;
  const dispatcher = new Agent({ connections: 4, headersTimeout: timeout, bodyTimeout: timeout, connect: { timeout } });
  const context: DeliveryContext = { ...outer, dispatcher };
  const rounds = new Map<string, Round>();

  const arm = (round: Round): void => {
    clearTimeout(round.timer);
    if (context.stopping.aborted || round.nextAt === Infinity) return;
    const wait = Math.min(Math.max(round.nextAt - context.options.now(), 0), longestSleepMs);
    round.timer = setTimeout(() => {
      round.running = walk(context, round).finally(() => {
        round.running = undefined;
        arm(round);
      });
    }, wait);
  };
  const expect = (wabaId: string, dueAt: number): void => {
    const round = rounds.get(wabaId) ?? { wabaId, nextAt: Infinity, timer: undefined, running: undefined };
    rounds.set(wabaId, round);
    if (dueAt >= round.nextAt) return;
    round.nextAt = dueAt;
    if (round.running === undefined) arm(round);
  };

  for (const row of await nextCallbacks(context.sql, null)) expect(row.waba_id, row.due_at.getTime());
  return {
    /** Announces an update that is due at `dueAt`, in milliseconds since 1970. */
    expect,
    [Symbol.asyncDispose]: async (): Promise<void> => {
      for (const round of rounds.values()) clearTimeout(round.timer);
      for (const { running } of rounds.values()) await running;
      await dispatcher.destroy();
    },
  };
}

/** Posts the account's due updates. Never rejects. */
async function walk(context: DeliveryContext, round: Round): Promise<void> {
  const { sql, options, log, stopping } = context;
  try {
    // An update that is announced from here on sets it again.
    round.nextAt = Infinity;
    while (!stopping.aborted && (await deliverDue(context, round.wabaId)));
    const [next] = await nextCallbacks(sql, round.wabaId);
    if (next !== undefined) round.nextAt = Math.min(round.nextAt, next.due_at.getTime());
  } catch (error) {
    if (stopping.aborted) return;
    log.warn({ err: error }, "callbacks could not be looked up, trying again");
    round.nextAt = options.now() + afterFailureMs;
  }
}

interface DeliveryContext {
  sql: Sql;
  log: Logger;
  accounts: Accounts;
  options: SandboxOptions;
  dispatcher: Agent;
  stopping: AbortSignal;
}

/** The platform's limit for one call. */
const maxBodyBytes = 3_000_000;

/** Posts due updates, each to the most specific address for its field. False when none is due. */
async function deliverDue(context: DeliveryContext, wabaId: string): Promise<boolean> {
  const { sql, options } = context;
  const now = options.now();
  const due = await listDueCallbacks(sql, wabaId, new Date(now), options.updatesPerCallback);
  if (due.length === 0) return false;
  const account = context.accounts.find(wabaId);
  // Updates that nobody is subscribed to are dropped, not kept for later.
  const asked = account?.subscribed === true ? due.filter(({ field }) => account.state.fields?.includes(field) ?? true) : [];
  if (account === undefined || asked.length < due.length) {
    await deleteCallbacks(sql, due.filter((one) => !asked.includes(one)).map(idOf));
    return true;
  }
  const { overrides } = account.state;
  const address = overrides.phone_number ?? overrides.whatsapp_business_account ?? account.callbackUrl;
  const calls = grouped(due.map((one) => [one.field === "messages" ? address : account.callbackUrl, one]));
  await Promise.all(Array.from(calls, async ([url, some]) => deliver(context, account, url, some, now)));
  return true;
}

async function deliver(context: DeliveryContext, account: SandboxAccount, url: string, due: DueCallback[], now: number): Promise<void> {
  const { body, told } = fit(due, (some) => escapedJson(envelope(account, some, now)));
  const { sql, stopping } = context;
  const problem = await postCallback(context, url, account.appSecret, body);
  if (problem === null) await deleteCallbacks(sql, told.map(idOf));
  else if (!stopping.aborted) await putOff(context, told, now, problem);
}

async function putOff({ sql, log, options }: DeliveryContext, callbacks: DueCallback[], now: number, problem: string): Promise<void> {
  log.debug({ problem, updates: callbacks.length }, "callback not acknowledged, will be repeated");
  const hopeless = callbacks.filter((callback) => now - callback.created_at.getTime() > options.retryForMs);
  await deleteCallbacks(sql, hopeless.map(idOf));
  const wait = { firstMs: options.retryFirstMs, mostMs: options.retryMostMs };
  await postponeCallbacks(sql, callbacks.map(idOf), new Date(options.now()), wait);
}

function fit(callbacks: DueCallback[], write: (some: DueCallback[]) => string): { body: string; told: DueCallback[] } {
  const body = write(callbacks);
  if (body.length <= maxBodyBytes || callbacks.length === 1) return { body, told: callbacks };
  return fit(callbacks.slice(0, Math.ceil(callbacks.length / 2)), write);
}

const idOf = ({ id }: DueCallback): string => id;

/** Null when the callback answers 200, which alone acknowledges; otherwise the reason for the log. */
async function postCallback({ dispatcher, stopping: signal }: DeliveryContext, url: string, appSecret: string, body: string) {
  try {
    const answer = await request(url, {
      method: "POST",
      body,
      headers: {
        "content-type": "application/json",
        "user-agent": "facebookexternalua",
        "x-hub-signature-256": signBody(appSecret, Buffer.from(body)),
      },
      dispatcher,
      signal,
    });
    await answer.body.dump();
    return answer.statusCode === 200 ? null : `answered ${answer.statusCode}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** A status as `statusItem` makes it; one from before has no `contact`. */
interface StatusItem {
  contact?: { user_id: string };
}

/** The body of one callback: all statuses in one change, every other update in an entry of its own. */
function envelope(account: SandboxAccount, callbacks: readonly DueCallback[], now: number) {
  const isStatus = ({ field, kind }: DueCallback): boolean => field === "messages" && kind !== incomingKind;
  const statuses = callbacks.filter(isStatus).map(({ value }) => JSON.parse(value) as StatusItem);
  const others = callbacks.filter((callback) => !isStatus(callback));
  const messages = { id: account.wabaId, changes: [{ field: "messages", value: statusesValue(account, statuses) }] };
  return {
    object: "whatsapp_business_account",
    entry: [
      ...(statuses.length === 0 ? [] : [messages]),
      ...others.map(({ field, value }) => ({
        id: account.wabaId,
        time: Math.floor(now / 1000),
        changes: [{ field, value: JSON.parse(value) as unknown }],
      })),
    ],
  };
}

function statusesValue(account: SandboxAccount, statuses: StatusItem[]) {
  const people = new Map(statuses.flatMap(({ contact }) => (contact === undefined ? [] : [[contact.user_id, contact]])));
  return {
    messaging_product: "whatsapp",
    metadata: { display_phone_number: account.phoneNumber, phone_number_id: account.phoneNumberId },
    ...(people.size === 0 ? {} : { contacts: [...people.values()] }),
    statuses: statuses.map(({ contact: _contact, ...item }) => item),
  };
}

/**
 * JSON as the platform writes it: non-ASCII as `\u00e9` in lower-case hex, slashes as `\/`. The signature covers these bytes, so a receiver that
 * parses and re-serialises the body gets another signature.
 */
export const escapedJson = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll("/", "\\/")
    .replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
