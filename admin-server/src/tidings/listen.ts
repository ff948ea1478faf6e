import { type FSWatcher, watch } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { parseEventName } from "shared/core/event";
import { makeOutboundSecret, webhookHeaders } from "shared/secrets/signature";
import { createAdminClient } from "../client.ts";
import { Failed, type Login } from "../setup/elsewhere.ts";
import { call, readLogin, request, requireAddress, variable, WrongUsage } from "./connection.ts";
import { findSite, follow, untilStopped } from "./log.ts";
import { type Keys, requireKeys, sendEvent } from "./send.ts";
import { plain, write, writeJson } from "./show.ts";

interface Options {
  site: string;
  forwardTo: string;
  signingSecret?: string;
  json?: true;
}

/** The most webhooks that wait to be posted; the oldest beyond are dropped. */
const mostWaiting = 1_000;
/** Webhooks come again after a new connection. */
const mostRemembered = 5_000;
const answerMs = 10_000;

interface Delivery {
  id: string;
  type: string;
  /** JSON. */
  body: string;
}

export async function listen(options: Options): Promise<void> {
  const end = untilStopped();
  await forwardUntil(await readLogin(), options, end);
}

/** Forwards webhooks until the signal; `begun` is called once they would arrive. @throws Failed when the server refuses */
async function forwardUntil(login: Login, options: Options, end: AbortSignal, begun: () => void = () => undefined): Promise<void> {
  const { site, forwardTo, signingSecret = variable("TIDINGS_SIGNING_SECRET") ?? makeOutboundSecret(), json } = options;
  requireAddress(forwardTo, "--forward-to", "http://127.0.0.1:3000/hooks");
  if (!signingSecret.startsWith("whsec_")) throw new WrongUsage("--signing-secret must begin with whsec_");
  // A token that does not count is told at once, and not tried again for ever.
  const siteId = await findSite(login, site);
  await call(login, "auth.me");
  const forwarding = forward({ forwardTo, secret: signingSecret, asJson: json === true, end });
  let isFirst = true;
  const onData = ({ data }: { data: { deliveries: Delivery[] } }): void => {
    if (isFirst) {
      isFirst = false;
      if (json) writeJson({ listening: { siteId, forwardTo, secret: signingSecret } });
      else write(plain(`Webhooks of ${site} go to ${forwardTo}, signed with ${signingSecret}. Ctrl-C ends it.`));
      begun();
    }
    forwarding.add(data.deliveries);
  };
  const { tail } = createAdminClient(login).webhooks;
  await follow(end, (on) => tail.subscribe({ siteId }, { ...on, onData }));
  await forwarding.done();
}

/** Posts one webhook after the other, each once. */
function forward({ forwardTo, secret, asJson, end }: { forwardTo: string; secret: string; asJson: boolean; end: AbortSignal }) {
  const seen = new Set<string>();
  let waiting: Delivery[] = [];
  let working: Promise<void> | null = null;
  const tell = (delivery: Delivery, status: number | null, error: string | null, ms: number): void => {
    const { id, type, body } = delivery;
    const { event_id: eventId, to_phone: phone } = JSON.parse(body) as { event_id: string; to_phone: string };
    if (asJson) writeJson({ id, type, eventId, status, error, ms });
    else write(plain(`${new Date().toISOString()}  ${type}  ${phone}  event ${eventId} → ${status ?? error} (${ms} ms)`));
  };
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !end.aborted; next = waiting.shift()) {
      const [began, { id, body }] = [Date.now(), next];
      try {
        const signal = AbortSignal.any([end, AbortSignal.timeout(answerMs)]);
        const status = await request(forwardTo, webhookHeaders(id, new Date(), [secret], body), body, signal, async (answer) => {
          await answer.body?.cancel();
          return answer.status;
        });
        tell(next, status, null, Date.now() - began);
      } catch (error) {
        if (!end.aborted) tell(next, null, (error as Error).message, Date.now() - began);
      }
    }
  };
  return {
    add(deliveries: readonly Delivery[]): void {
      const fresh = deliveries.filter(({ id }) => !seen.has(id));
      for (const { id } of fresh) seen.add(id);
      for (const id of [...seen].slice(0, Math.max(0, seen.size - mostRemembered))) seen.delete(id);
      waiting.push(...fresh);
      if (waiting.length > mostWaiting) {
        process.stderr.write(`${waiting.length - mostWaiting} webhooks are dropped: ${plain(forwardTo)} is too slow\n`);
        waiting = waiting.slice(-mostWaiting);
      }
      working ??= work().finally(() => (working = null));
    },
    done: async () => void (await working),
  };
}

const mostFiles = 100;
/** Editors write a file in several steps. */
const settleMs = 200;

export async function dev(folder: string, { source = "tidings", gateway, siteKey, secret, ...options }: Options & Keys): Promise<void> {
  const keys = { source, gateway, ...requireKeys({ siteKey, secret }) };
  const end = untilStopped();
  const files = await examplesIn(folder);
  if (files.length === 0) throw new WrongUsage(`${folder} has no example: name a file as its event, such as order.created.json`);
  const login = await readLogin();
  // One event after the other, as files change.
  let sending = Promise.resolve();
  const send = (file: string): void => {
    sending = sending.then(async () => {
      if (end.aborted) return;
      if (!options.json) write(plain(`${file}:`));
      try {
        await sendEvent(join(folder, file), { ...keys, event: nameOf(file) ?? "", json: options.json });
      } catch (error) {
        if (!(error instanceof Failed) && !(error instanceof WrongUsage)) throw error;
        tell(error, `${file}: `);
      }
    });
  };
  const changes = new Map<string, NodeJS.Timeout>();
  let watching: FSWatcher | null = null;
  const begin = (): void => {
    files.forEach(send);
    watching = watch(folder, { persistent: false }, (_, file) => {
      if (file === null || nameOf(file) === null || (changes.size >= mostFiles && !changes.has(file))) return;
      clearTimeout(changes.get(file));
      const again = async () => {
        if ((await examplesIn(folder)).includes(file)) send(file);
      };
      changes.set(file, setTimeout(() => void again().catch(tell), settleMs).unref());
    });
    watching.on("error", () => watching?.close());
  };
  try {
    await forwardUntil(login, options, end, begin);
  } finally {
    (watching as FSWatcher | null)?.close();
    for (const timer of changes.values()) clearTimeout(timer);
    await sending;
    // An example that failed is no failure of the command.
    process.exitCode = 0;
  }
}

const tell = ({ message }: Error, before = ""): void => void process.stderr.write(`${plain(before + message)}\n`);

const nameOf = (file: string): string | null => (file.endsWith(".json") ? parseEventName(file.slice(0, -".json".length)) : null);

/** The files of example events, by name. @throws WrongUsage */
async function examplesIn(folder: string): Promise<string[]> {
  const files = await readdir(folder).catch((error: Error) => {
    throw new WrongUsage(`${folder} cannot be read: ${error.message}`);
  });
  return files
    .filter((file) => nameOf(file) !== null)
    .toSorted()
    .slice(0, mostFiles);
}
