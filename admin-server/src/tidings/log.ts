import { type AdminAnswers, createAdminClient, everyItem } from "../client.ts";
import { Failed, type Login, siteAt } from "../setup/elsewhere.ts";
import { call, readLogin, WrongUsage } from "./connection.ts";
import { answer, explainEvent, type Message, plain, showEvent, showMessage, type StoredEvent, write } from "./show.ts";

/** The id of a site that is given by its name or id. @throws Failed without one, or with several of that name */
export const findSite = async (login: Login, site: string): Promise<string> =>
  (await siteAt((path, input) => call(login, path, input), site)).id;

/** Follows a subscription until it ends, the program is to stop, or nobody reads any more. @throws Failed when the server refuses */
export async function follow(
  end: AbortSignal,
  subscribe: (on: { onError: (error: { message: string; data?: unknown }) => void; onComplete: () => void }) => { unsubscribe: () => void },
): Promise<void> {
  await new Promise<void>((resolve, fail) => {
    const following = subscribe({
      onError: (error) => fail(new Failed(error.message, (error.data as { code?: string } | undefined)?.code)),
      onComplete: resolve,
    });
    const stop = (): void => {
      following.unsubscribe();
      resolve();
    };
    if (end.aborted) stop();
    else end.addEventListener("abort", stop, { once: true });
  });
}

/** Aborts when the program is to stop, or nobody reads any more. */
export function untilStopped(): AbortSignal {
  const stopped = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopped.abort());
  process.stdout.once("error", () => stopped.abort());
  return stopped.signal;
}

export async function tail({ site, json }: { site?: string; json?: true }): Promise<void> {
  const login = await readLogin();
  // A token that does not count is told at once, and not tried again for ever.
  await call(login, "auth.me");
  const siteId = site === undefined ? undefined : await findSite(login, site);
  const shown = new Map<string, string | null>();
  const onData = ({ events }: { events: StoredEvent[] }): void => {
    for (const event of events) {
      // Events come again after a new connection.
      if (shown.get(event.id) === event.chat) continue;
      shown.set(event.id, event.chat);
      answer(json, event, showEvent);
    }
    for (const id of [...shown.keys()].slice(0, Math.max(0, shown.size - mostRemembered))) shown.delete(id);
  };
  const { tail: tailed } = createAdminClient(login).events;
  await follow(untilStopped(), (on) => tailed.subscribe(siteId === undefined ? {} : { siteId }, { ...on, onData }));
}

const mostRemembered = 2_000;

interface LogOptions {
  site?: string;
  limit: string;
  json?: true;
  [filter: string]: string | true | undefined;
}

export async function log({ site, limit, json, ...filter }: LogOptions): Promise<void> {
  const most = Number(limit);
  if (!Number.isInteger(most) || most < 1) throw new WrongUsage("--limit must be a whole number from 1");
  const login = await readLogin();
  const siteId = site === undefined ? undefined : await findSite(login, site);
  let left = most;
  const messages = everyItem<Message>((page) =>
    call(login, "notifications.list", { ...filter, siteId, ...page, limit: Math.min(left, 200) }),
  );
  for await (const message of messages) {
    answer(json, message, showMessage);
    left -= 1;
    if (left === 0 || process.stdout.destroyed) return;
  }
}

export const explain = async (id: string, { json }: { json?: true }): Promise<void> =>
  answer(json, await call<AdminAnswers["events"]["get"]>(await readLogin(), "events.get", { id }), explainEvent);

export async function resend(id: string, { force, json }: { force?: true; json?: true }): Promise<void> {
  const input = { id, ...(force && { force }) };
  const sent = await call<AdminAnswers["notifications"]["resend"]>(await readLogin(), "notifications.resend", input);
  answer(json, sent, ({ notification }) => write(plain(`${notification.status}: message ${notification.id}`)));
}
