import { setTimeout as pause } from "node:timers/promises";
import type { GatewayContext } from "gateway/context";
import { keep } from "gateway/inbound/inbound";
import { createReadDelivery } from "gateway/inbound/read";
import { createClaim } from "gateway/ingest/claim";
import { plan } from "gateway/ingest/plan";
import { type SiteConfig } from "gateway/sites/sites";
import { defaultTimeLimits } from "gateway/time-limits";
import { type JsonObject, parseJson } from "shared/core/json";
import type { Source } from "shared/core/sources/source";
import { headerReader } from "shared/core/sources/sources";
import { renewGatewayLease } from "shared/db/event/gateway-lease";
import { newId } from "shared/db/ids";
import { configName } from "shared/db/site-for-ingest";
import type { Pool } from "shared/db/statement";
import { vault } from "../gateway.ts";
import { site } from "../planned-event.ts";
import { openPostingShop } from "../shop-requests.ts";

/** A request of a shop, or its answer when it is asked for an order. */
export interface Post {
  headers: Record<string, string>;
  /** The text of the body. */
  body: string;
  isFetched?: boolean;
}

/** What was made of a post. */
export interface Taken {
  /** The event's name; null for none, or a repeat. */
  event: string | null;
  payload: JsonObject;
  /** Whether the same post would tell more. */
  hasMore: boolean;
}

const nothing: Taken = { event: null, payload: {}, hasMore: false };

/** Takes posts at one of two gateways' place: they share nothing but the database. */
export type TakePost = (post: Post, gateway: number) => Promise<Taken>;

/** A site whose shop's posts are read and stored as the gateways do it, without HTTP, signatures and messages. */
export async function openLife(sql: Pool, source: Source, sourceType: "woocommerce" | "shopify"): Promise<TakePost> {
  const shop = await openPostingShop(sql, sourceType);
  const [config] = await sql<[Pick<SiteConfig, "config">]>`
    select ${sql.unsafe(configName)} as config from site s join account a on a.id = s.account_id where s.id = ${shop.siteId}`;
  const inbound = { source, sourceType, topicMap: {}, url: "https://shop.example" };
  const rest = { bindings: new Map(), activePhones: [], country: "DE", normalizePhones: "shop", timezone: "UTC", platform: null };
  const at = { ...site, ...rest, id: shop.siteId, accountId: shop.accountId, ...config, inbound } as unknown as SiteConfig;
  const gateways = await Promise.all([openPlace(sql), openPlace(sql)]);
  return async (post, gateway) => await takePost(at, post, gateways[gateway % 2] ?? gateways[0]);
}

async function openPlace(sql: Pool) {
  const instanceId = newId();
  await renewGatewayLease(sql, { id: instanceId, seconds: 3_600, since: instanceId });
  const clock = { now: () => new Date(), monotonic: () => performance.now() };
  const context = { sql, events: sql, vault, clock, instanceId, config: { timeLimits: defaultTimeLimits } } as unknown as GatewayContext;
  const lease = { endsAt: Infinity, renew: async () => undefined };
  return {
    context,
    read: createReadDelivery(context),
    claim: createClaim(context, lease, { giveBack: () => undefined, close: () => undefined }),
  };
}

const mostTries = 50;

async function takePost(at: SiteConfig, post: Post, place: Awaited<ReturnType<typeof openPlace>>): Promise<Taken> {
  const { context, read, claim } = place;
  const body = parseJson(post.body) as JsonObject;
  for (let tries = 0; tries < mostTries; tries += 1) {
    const delivered = {
      headers: headerReader(post.headers),
      body,
      text: post.body,
      receivedAt: new Date(),
      isFetched: post.isFetched === true,
    };
    const reading = await read(at, delivered);
    if (reading.kind === "ignored") {
      if (await keep(context, at, reading)) return nothing;
      continue;
    }
    if (reading.kind !== "event") return nothing;
    const result = await claim.run(plan(reading.event, new Date()), performance.now() + 60_000);
    if (result.kind === "duplicate") return nothing;
    if (result.kind === "claimed")
      return { event: reading.event.name, payload: reading.event.payload, hasMore: reading.event.hasMore === true };
    await pause(1);
  }
  throw new Error("a post was not taken");
}

/** A thing's true life, as it is posted: posts of one round arrive at the same moment. */
export interface Life<Fact> {
  rounds: { post: Post; fact: Fact }[][];
  /** What came of it, in order; a violation is a sentence. */
  judge(told: readonly { taken: Taken; fact: Fact; round: number }[]): string[];
}

/** Lives many lives side by side, and answers what went wrong in each. */
export async function live<Fact>(take: TakePost, lives: readonly Life<Fact>[]): Promise<string[]> {
  const told = lives.map((): { taken: Taken; fact: Fact; round: number }[] => []);
  const rounds = Math.max(...lives.map((life) => life.rounds.length));
  for (let round = 0; round < rounds; round += 1) {
    await Promise.all(
      lives.map(async ({ rounds: posts }, n) => {
        const taken = await Promise.all((posts[round] ?? []).map(async ({ post, fact }, m) => await untilNoMore(take, post, fact, m)));
        told[n]?.push(...taken.flat().map((one) => ({ ...one, round })));
      }),
    );
  }
  return lives.flatMap((life, n) => life.judge(told[n] ?? []).map((fault) => `${fault} in life ${n}`));
}

/** The shop's answer is looked at until it tells nothing new, as a run does; a request is taken once. */
async function untilNoMore<Fact>(take: TakePost, post: Post, fact: Fact, gateway: number): Promise<{ taken: Taken; fact: Fact }[]> {
  const all: { taken: Taken; fact: Fact }[] = [];
  do all.push({ taken: await take(post, gateway), fact });
  while (post.isFetched === true && all.at(-1)?.taken.hasMore === true);
  return all;
}
