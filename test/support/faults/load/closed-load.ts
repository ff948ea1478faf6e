import type { Sender } from "../../gateway/post-event.ts";
import { type Asked, createAsker } from "./asker.ts";

/** Clients that each wait for their answer before they post again, and how much was answered with 200. */
export async function closedLoad<Site extends Sender>(
  url: string,
  site: Site,
  { events, clients, name }: { events: number; clients: number; name: string },
): Promise<{ asked: Asked<Site>[]; perSecond: number }> {
  using asker = createAsker(url, name);
  const asked: Asked<Site>[] = [];
  let posted = 0;
  const client = async (): Promise<void> => {
    while ((posted += 1) <= events) asked.push(await asker.ask(site));
  };
  const since = performance.now();
  await Promise.all(Array.from({ length: clients }, client));
  return { asked, perSecond: (1000 * asked.filter(({ status }) => status === 200).length) / (performance.now() - since) };
}
