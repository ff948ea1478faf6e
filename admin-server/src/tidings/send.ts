import { randomUUID } from "node:crypto";
import { signStandard, standardSecret } from "shared/secrets/signature";
import type { AdminAnswers } from "../client.ts";
import { Failed, read } from "../setup/elsewhere.ts";
import { call, keepLogin, post, readLogin, requireAddress, variable, WrongUsage } from "./connection.ts";
import { readInput } from "./file.ts";
import { plain, write, writeJson } from "./show.ts";

/** Where an event goes, and what signs it. */
export type Keys = Partial<Record<"source" | "gateway" | "siteKey" | "secret", string | undefined>>;

interface SendOptions extends Keys {
  event: string;
  id?: string;
  dryRun?: true;
  json?: true | undefined;
}

export async function login(given: { url?: string; token?: string; json?: true }): Promise<void> {
  const { url = variable("TIDINGS_URL"), token = variable("TIDINGS_TOKEN"), json } = given;
  if (url === undefined || token === undefined) throw new WrongUsage("Give --url and --token, or set TIDINGS_URL and TIDINGS_TOKEN");
  requireAddress(url, "--url", "http://127.0.0.1:4001");
  const { user, account } = await call<AdminAnswers["auth"]["me"]>({ url, token }, "auth.me");
  const file = await keepLogin({ url, token });
  if (json) writeJson({ url, account, role: user.role, file });
  else write(plain(`Logged in to ${account.name} at ${url} as ${user.role}. The token is kept in ${file}.`));
}

/** Answers that mean that not all messages left. */
const failures = new Set(["failed", "partial"]);

/** The key and secret as options or variables give them. @throws WrongUsage */
export function requireKeys(given: Pick<Keys, "siteKey" | "secret">): { siteKey: string; secret: string } {
  const { siteKey = variable("TIDINGS_SITE_KEY"), secret = variable("TIDINGS_WEBHOOK_SECRET") } = given;
  if (siteKey === undefined || secret === undefined)
    throw new WrongUsage("Give --site-key and --secret, or set TIDINGS_SITE_KEY and TIDINGS_WEBHOOK_SECRET");
  return { siteKey, secret };
}

/** Signs a file's payload and posts it. @throws Failed, WrongUsage */
export async function sendEvent(file: string, options: SendOptions): Promise<void> {
  const { event, source = "tidings", gateway, id = randomUUID(), dryRun, json, ...given } = options;
  const { siteKey, secret } = requireKeys(given);
  const body = await readInput(file);
  const base = (gateway ?? (await knownGateway())).replace(/(?<!\/)\/+$/, "");
  requireAddress(base, "--gateway", "http://127.0.0.1:4000");
  const timestamp = String(Math.floor(Date.now() / 1000));
  const headers = {
    "content-type": "application/json",
    "x-service-site-key": siteKey,
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signStandard(secret.startsWith("whsec_") ? secret : standardSecret(secret), { id, timestamp }, body),
    ...(dryRun && { "x-service-mode": "test" }),
  };
  const path = [source, event].map(encodeURIComponent).join("/");
  const { status, text } = await post(`${base}/api/public/ingest/${path}`, headers, body);
  const answer = read<{ error?: string; chat?: string; event_id?: string; recipients_sent?: number; recipients_failed?: number }>(text);
  if (answer === null) throw new Failed(`${base} is no gateway of Tidings: it answered ${status} without JSON`);
  if (status >= 300) throw new Failed(`The gateway refused the event: ${status} ${answer.error ?? ""}`, String(status));
  if (json || dryRun) write(json ? JSON.stringify(answer) : JSON.stringify(answer, null, 2));
  else write(plain(`${answer.chat}: ${answer.recipients_sent} sent, ${answer.recipients_failed} failed; event ${answer.event_id}`));
  if (failures.has(answer.chat ?? "")) process.exitCode = 1;
}

/** The gateway of the account that is logged in, if one is. */
async function knownGateway(): Promise<string> {
  const given = variable("TIDINGS_GATEWAY");
  if (given !== undefined) return given;
  const account = await readLogin().catch(() => null);
  if (account === null) return "http://127.0.0.1:4000";
  return (await call<AdminAnswers["settings"]["get"]>(account, "settings.get")).gatewayUrl;
}
