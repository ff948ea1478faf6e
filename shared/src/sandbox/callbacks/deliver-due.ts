import type { Agent } from "undici";
import type { Sql } from "../../db/connect.ts";
import { deleteCallbacks, type DueCallback, listDueCallbacks, postponeCallbacks } from "../../db/tables/sandbox/callback.ts";
import type { Logger } from "../../server/logger.ts";
import type { Accounts } from "../accounts/accounts.ts";
import type { SandboxOptions } from "../options.ts";
import { envelope } from "./envelope.ts";
import { postCallback } from "./post-callback.ts";
import { escapedJson } from "./sign.ts";

export interface DeliveryContext {
  sql: Sql;
  log: Logger;
  accounts: Accounts;
  options: SandboxOptions;
  dispatcher: Agent;
  stopping: AbortSignal;
}

/** The platform's own bound on one call. */
const MAX_BYTES = 3_000_000;

/** Tells an account's callback what is due, in one call. False when nothing was. */
export async function deliverDue(context: DeliveryContext, wabaId: string): Promise<boolean> {
  const { sql, options } = context;
  const now = options.now();
  const due = await listDueCallbacks(sql, wabaId, new Date(now), options.updatesPerCallback);
  if (due.length === 0) return false;
  const account = context.accounts.find(wabaId);
  // An account that is not subscribed is told nothing, now or later.
  if (account?.subscribed !== true) {
    await deleteCallbacks(sql, due.map(idOf));
    return true;
  }
  const { body, told } = fit(due, (some) => escapedJson(envelope(account, some, now)));
  const { dispatcher, stopping } = context;
  const problem = await postCallback(account, body, { dispatcher, signal: stopping });
  if (problem === null) await deleteCallbacks(sql, told.map(idOf));
  else if (!stopping.aborted) await putOff(context, told, now, problem);
  return true;
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
  if (body.length <= MAX_BYTES || callbacks.length === 1) return { body, told: callbacks };
  return fit(callbacks.slice(0, Math.ceil(callbacks.length / 2)), write);
}

function idOf({ id }: DueCallback): string {
  return id;
}
