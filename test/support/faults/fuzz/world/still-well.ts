import { anEvent, postEvent } from "../../../gateway/post-event.ts";
import { readAccepted } from "./accepted-answer.ts";
import type { FuzzWorld } from "./fuzz-world.ts";
import type { ServedApart } from "./serve-apart.ts";

/** What a server may hold more after a run than after its beginning: caches fill up, and the collector keeps some slack. */
const mostGrowth = 64 * 1024 * 1024;

/** Bytes that the server holds once it is warm. */
export async function takeBaseline(server: ServedApart, warmUp: () => Promise<void>): Promise<number> {
  await warmUp();
  return await server.heap();
}

/** What the run has done to the server: nothing, when it is up, has complained of nothing, holds about what it held before, and takes an ordinary event. */
export async function stillWell({ gateway, sites, books }: FuzzWorld, baseline: number): Promise<string[]> {
  const problems = await standing(gateway, baseline);
  if (problems.length > 0) return problems;
  const { status, body } = await postEvent(gateway, sites.other, anEvent);
  const accepted = status === 200 ? readAccepted(body) : body;
  if (typeof accepted === "string") return [`an ordinary event is answered ${status} ${body}`];
  return await books.check([{ ...accepted, texts: new Map([[JSON.stringify(anEvent), sites.other]]) }]);
}

export async function standing(server: ServedApart, baseline: number): Promise<string[]> {
  if (!server.isRunning()) return [`the server has ended: ${server.complaints()}`];
  if (server.complaints() !== "") return [`the server complained: ${server.complaints().slice(0, 4_000)}`];
  const growth = (await server.heap()) - baseline;
  return growth > mostGrowth ? [`the server holds ${growth} bytes more than at first`] : [];
}
