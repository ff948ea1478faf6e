import { join } from "node:path";
import { pino } from "pino";
import type { Pool } from "shared/db/statement";
import { waitFor } from "../../support/wait-for.ts";
import { type LivedAccount, type LivedSite, newAccounts, openAccount } from "../shops/accounts.ts";
import { startBackend } from "../shops/backend.ts";
import { createSender, type Tally } from "../shops/sender.ts";
import { trafficOf } from "../shops/traffic.ts";
import { doings, type PastDay } from "./doings.ts";
import { openInstallation } from "./installation.ts";

/** What later days need to know of the days before. */
export interface PastWorld {
  accounts: LivedAccount[];
  sites: LivedSite[];
  /** The number of events that each site has had, by its id. */
  counts: Record<string, number>;
  tally: Tally;
}

interface MonthOptions {
  folder: string;
  events: number;
  backendPort: number;
  now: Date;
}

const dayMs = 86_400_000;
const lastDay = 29;
/** The hours at which the days' events come, UTC: in Kolkata and New York some are of the day after or before. */
const hours = [7, 12, 20, 9, 16, 23, 2];

/** Lives 29 days, one after the other, each with its share of the events and what happens on it. */
export async function liveMonth({ folder, events, backendPort, now }: MonthOptions): Promise<PastWorld> {
  const environment = JSON.parse(process.env["LIVED_ENVIRONMENT"] ?? "{}") as Record<string, string>;
  const log = pino({ level: "info" }, pino.destination({ dest: join(folder, "past.log"), sync: true }));
  const timeOf = (day: number): Date => {
    const midnight = Math.floor(now.getTime() / dayMs) * dayMs - (lastDay + 1 - day) * dayMs;
    return new Date(midnight + (hours[day % hours.length] ?? 0) * 3_600_000);
  };
  await using backend = await startBackend(backendPort);
  await using installation = await openInstallation(environment, log, timeOf(1));
  await using sender = createSender(installation.gatewayUrl);
  const world: PastWorld = { accounts: [], sites: [], counts: {}, tally: sender.tally };
  for (let day = 1; day <= lastDay; day += 1) {
    const began = performance.now();
    await (day % 7 === 1 ? installation.startAt(timeOf(day)) : installation.goOnAt(timeOf(day)));
    if (day === 1) await openAccounts(installation.adminUrl, backend.url, world);
    const today: PastDay = { ...installation, ...world, day, backend, sender, isBadDay: new Set(), closed: new Set() };
    const happen = async (time: "before" | "during" | "after") => {
      for (const [on, when, what, run] of doings) {
        if (on !== day || when !== time) continue;
        await run(today).catch((cause: unknown) => {
          throw new Error(`day ${day}: ${what}`, { cause });
        });
      }
    };
    await happen("before");
    const open = world.sites.filter(({ id }) => !today.closed.has(id));
    await Promise.all([sender.send(trafficOf(open, world.counts, Math.round(events / lastDay), today.isBadDay)), happen("during")]);
    await happen("after");
    await untilQuiet(installation.owner);
    await tidyUp(installation.owner, day);
    log.info({ day, ms: Math.round(performance.now() - began) }, "a day has passed");
  }
  return world;
}

async function openAccounts(adminUrl: string, backendUrl: string, world: PastWorld): Promise<void> {
  for (const wanted of newAccounts) {
    const { account, sites } = await openAccount(adminUrl, backendUrl, wanted);
    world.accounts.push(account);
    world.sites.push(...sites);
  }
}

/** Waits until phones have answered, and what is due has left; on some days that takes until the next. */
async function untilQuiet(owner: Pool): Promise<void> {
  const today = new Date(Date.now() - dayMs);
  const isQuiet = async (): Promise<boolean> => {
    const [row] = await owner<[{ open: boolean }]>`
      select exists (select from sandbox.callback) or exists (select from erasure where owner is not null)
        or exists (select from notification where id > uuid_at(${today}) and status = 'sending') as open`;
    return !row.open;
  };
  await waitFor("a quiet evening", isQuiet, 5_000).catch(() => undefined);
}

/** What the database does of its own where it is durable: without it, a table of what is due grows with all that ever was. */
async function tidyUp(owner: Pool, day: number): Promise<void> {
  if (day % 2 === 0)
    await owner.unsafe("vacuum recipient_turn, waiting_message, webhook_delivery, event_due, idempotency, sandbox.callback");
  if (day % 10 === 1) await owner.unsafe("analyze");
}
