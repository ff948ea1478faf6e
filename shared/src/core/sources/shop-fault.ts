import { dayMs } from "../durations.ts";
import type { SourceType } from "../site.ts";
import type { ShopFault } from "./shop-problem.ts";
import { eventOfTopic, sources, type TopicMap } from "./sources.ts";
import { legacyStatus } from "./woocommerce.ts";

/** What is known of a shop. */
export interface ShopFacts {
  sourceType: SourceType;
  topicMap: TopicMap;
  connectedAt: Date | null;
  /** The topics that it has posted, as `topicKey` names them. */
  topics: readonly { topic: string; last_seen_at: Date }[];
  /** The events of its enabled bindings, and since when each is waited for. */
  awaited: readonly { event: string; since: Date }[];
  now: Date;
}

/** A legacy webhook counts as long as it was seen so lately. */
const legacyDays = 7;
/** A shop that sells has posted every topic after so many days, except those of `rare`. */
const patienceDays = 3;
/** Topics of what may never happen. */
const rare = new Set(["refunds/create", "orders/cancelled", "customers/create", "customer.created"]);

/** The resource and what happens to it, without a status: what a webhook is made for. */
const webhookOf = (key: string): string => key.split(":", 1)[0] ?? key;

export const findShopFaults = (facts: ShopFacts): ShopFault[] => [...findLegacy(facts), ...findMissing(facts)];

function findLegacy({ topics, now }: ShopFacts): ShopFault[] {
  const isLegacy = ({ topic }: ShopFacts["topics"][number]): boolean => topic.endsWith(`:${legacyStatus}`);
  const faults = topics.filter((one) => {
    const isReplaced = topics.some(
      (other) => !isLegacy(other) && webhookOf(other.topic) === webhookOf(one.topic) && other.last_seen_at > one.last_seen_at,
    );
    return isLegacy(one) && !isReplaced && now.getTime() - one.last_seen_at.getTime() < legacyDays * dayMs;
  });
  const last = Math.max(...faults.map((one) => one.last_seen_at.getTime()));
  return faults.length === 0 ? [] : [{ code: "legacy_api", lastSeenAt: new Date(last).toISOString() }];
}

function findMissing({ sourceType, topicMap, connectedAt, topics, awaited, now }: ShopFacts): ShopFault[] {
  const source = sources[sourceType];
  const isOld = (at: Date): boolean => now.getTime() - at.getTime() > patienceDays * dayMs;
  const isAlive = topics.some((one) => !isOld(one.last_seen_at));
  if (source.events === null || connectedAt === null || !isOld(connectedAt) || !isAlive) return [];
  const seen = new Set(topics.map(({ topic }) => webhookOf(topic)));
  const keys = [...new Set([...source.events.keys(), ...Object.keys(topicMap)])];
  return awaited.flatMap(({ event, since }): ShopFault[] => {
    const webhooks = keys.filter((key) => eventOfTopic(source, topicMap, key) === event).map(webhookOf);
    const [topic] = webhooks;
    const isMissing = topic !== undefined && isOld(since) && !webhooks.some((one) => seen.has(one) || rare.has(one));
    return isMissing ? [{ code: "topic_missing", event, topic }] : [];
  });
}
