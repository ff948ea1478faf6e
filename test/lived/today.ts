import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { waitFor } from "../support/wait-for.ts";
import { clientOf, type LivedSite } from "./shops/accounts.ts";
import { createSender, type Tally } from "./shops/sender.ts";
import { trafficOf } from "./shops/traffic.ts";
import type { LivedWorld } from "./world.ts";

/** Today, over HTTP and on the programs of `npm start`: the parts of the day, each with its share of the events, or as many as it takes, and what happens amid them. */
const parts = [
  { what: "the gateway is killed", meanwhile: killGateway },
  { what: "the database is killed", meanwhile: killDatabase },
  { what: "an endpoint is deleted", meanwhile: deleteEndpoint },
  { what: "secrets are replaced", meanwhile: replaceSecrets },
] as const;

/** What the senders saw in each part of today; all of their events were taken in the end. */
export type Today = Record<(typeof parts)[number]["what"], Tally>;

export async function liveToday(world: LivedWorld, events: number): Promise<Today> {
  const seen: Partial<Today> = {};
  const inPart = Math.ceil(events / parts.length);
  for (const { what, meanwhile } of parts) {
    await using sender = createSender(world.gatewayUrl);
    let isOver = false;
    const happen = async () => {
      await sender.underWay();
      await meanwhile(world).finally(() => (isOver = true));
    };
    const load = async () => {
      do await sender.send(trafficOf(world.sites, world.past.counts, inPart));
      while (!isOver);
    };
    await Promise.all([load(), happen()]);
    seen[what] = sender.tally;
  }
  world.now = new Date();
  return seen as Today;
}

/** Ends the gateway as a crash does; the start runs another. */
async function killGateway({ running }: LivedWorld): Promise<void> {
  const { stdout } = await promisify(execFile)("ps", ["-eo", "pid=,ppid=,args="], { maxBuffer: 64_000_000 });
  const children = stdout.split("\n").map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/u.exec(line) ?? []);
  const gateway = children.find(([, , parent, args = ""]) => Number(parent) === running.pid && args.includes("gateway/dist/main.js"));
  process.kill(Number(gateway?.[1]), "SIGKILL");
}

/** Ends PostgreSQL as a crash does; its launcher starts it again. Events come until it takes them again, and a little longer. */
async function killDatabase({ sql }: LivedWorld): Promise<void> {
  const start = async () => {
    const [row] = await sql<{ folder: string; since: Date }[]>`
      select current_setting('data_directory') as folder, pg_postmaster_start_time() as since`;
    return row ?? { folder: "", since: new Date() };
  };
  const before = await start();
  process.kill(Number.parseInt(await readFile(join(before.folder, "postmaster.pid"), "utf8"), 10), "SIGQUIT");
  await waitFor("the database to serve again", async () => (await start().catch(() => before)).since > before.since, 60_000);
}

const ownerOf = async (world: LivedWorld, { accountId }: LivedSite) => clientOf(world.adminUrl, await world.tokenOf(accountId, "owner"));
const busiest = (sites: readonly LivedSite[]): LivedSite => sites.toSorted((a, b) => b.share - a.share)[0] as LivedSite;

async function deleteEndpoint(world: LivedWorld): Promise<void> {
  const site = busiest(world.sites);
  const owner = await ownerOf(world, site);
  const url = `${world.backend.url}/today/works`;
  const { webhook } = await owner.webhooks.create.mutate({ siteId: site.id, url, types: ["message.sent", "message.failed"] });
  await waitFor("the endpoint to be told something", () => (world.backend.taken.get("/today/works") ?? 0) > 0);
  await owner.webhooks.delete.mutate({ id: webhook.id });
}

async function replaceSecrets(world: LivedWorld): Promise<void> {
  const site = busiest(world.sites);
  const owner = await ownerOf(world, site);
  const overlapSeconds = 600;
  site.apiKey = (await owner.sites.rotateApiKey.mutate({ id: site.id, overlapSeconds })).apiKey;
  site.webhookSecret = (await owner.sites.rotateWebhookSecret.mutate({ id: site.id, overlapSeconds })).webhookSecret;
}

/** How much is under way: callbacks, messages, deliveries that are due, whatever somebody owns. */
export async function underWay({ sql }: LivedWorld): Promise<Record<string, number>> {
  const [row] = await sql<Record<string, number>[]>`
    select (select count(*)::int from sandbox.callback where due_at <= now()) as callbacks,
      (select count(*)::int from notification where status = 'sending') as sending,
      (select count(*)::int from waiting_message where owner is not null or due_at <= now()) as waiting,
      (select count(*)::int from webhook_delivery where owner is not null or (status = 'pending' and due_at <= now())) as deliveries`;
  return row ?? {};
}
