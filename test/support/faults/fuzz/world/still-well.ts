import { anEvent, postEvent } from "../../../gateway/post-event.ts";
import { readAccepted } from "./accepted-answer.ts";
import type { FuzzWorld } from "./fuzz-world.ts";
import type { ServedApart } from "./serve-apart.ts";

/** What a server may hold more after a run than after its first tenth: caches fill up, and the collector keeps some slack. */
const mostGrowth = 48 * 1024 * 1024;

/** What the run has done to the gateway: nothing, when it is up, has complained of nothing, holds about what it held before, and takes an ordinary event. */
export async function stillWell({ gateway, sites, books }: FuzzWorld, growth: number): Promise<string[]> {
  const problems = standing(gateway, growth);
  if (problems.length > 0) return problems;
  const { status, body } = await postEvent(gateway, sites.other, anEvent);
  const accepted = status === 200 ? readAccepted(body) : body;
  if (typeof accepted === "string") return [`an ordinary event is answered ${status} ${body}`];
  return await books.check([{ ...accepted, texts: new Map([[JSON.stringify(anEvent), sites.other]]) }]);
}

/** The same of any server, without the event. */
export function standing(server: ServedApart, growth: number): string[] {
  if (!server.isRunning()) return [`the server has ended: ${server.complaints()}`];
  if (server.complaints() !== "") return [`the server complained: ${server.complaints().slice(0, 4_000)}`];
  return growth > mostGrowth ? [`the server holds ${growth} bytes more than at first`] : [];
}
