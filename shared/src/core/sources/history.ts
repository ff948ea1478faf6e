import { type JsonValue, lookUp } from "../json.ts";
import type { Delivery, News, Source } from "./source.ts";
import { eventOfTopic, type TopicMap } from "./sources.ts";

/** What is known of an order or a checkout: the marks of what was told of it, made by `Mark`, so that nobody can read them. */
export interface History {
  /** The newest change of which a delivery was taken, in ISO 8601 and UTC. */
  changedAt: string | null;
  /** The mark of the status that was seen last. */
  status: string | null;
  told: readonly string[];
}

export const noHistory: History = { changedAt: null, status: null, told: [] };

/** Makes the mark of a text: equal texts about one thing have equal marks. */
export type Mark = (text: string) => string;

/** The most marks of one thing. What is new beyond them counts as told. */
const mostMarks = 500;

export interface Decision {
  /** What is told now, as an event; null for nothing. */
  tells: { event: string; news: News } | null;
  /** Whether the same delivery would tell more afterwards. */
  more: boolean;
  /** The history afterwards; null if nothing changes. */
  next: History | null;
}

interface Given {
  topicMap: TopicMap;
  history: History;
  mark: Mark;
  /** True for the shop's answer to our question: a status that was seen before is no change in it. */
  isFetched: boolean;
}

/** Decides what a delivery tells that its thing's history does not hold yet. */
export function decide(source: Source, delivery: Delivery, given: Given): Decision {
  const { history, mark } = given;
  const { changedAt, leaves, unless, news } = delivery;
  const has = (text: string | null): boolean => text !== null && history.told.includes(mark(text));
  const isOlder = changedAt !== null && history.changedAt !== null && changedAt < history.changedAt;
  if (delivery.isNothing || isOlder || has(unless)) return nothing;
  const open = news.filter(({ once }) => !has(once) && (once === null || history.told.length < mostMarks));
  const told = open.flatMap((one) => tell(source, one, given) ?? []);
  const tells = told[0] ?? null;
  // What means nothing here is known all the same: an operator who gives it a meaning later does not tell of the past.
  const seen = open.filter((one) => one === tells?.news || eventOfTopic(source, given.topicMap, one.key) === null);
  const marks = [...seen.map(({ once }) => once), ...leaves].flatMap((text) => (text === null || has(text) ? [] : mark(text)));
  const next = {
    changedAt: changedAt ?? history.changedAt,
    status: statusAfter(delivery, tells, told, given),
    told: [...history.told, ...marks].slice(0, mostMarks),
  };
  const isSame = next.changedAt === history.changedAt && next.status === history.status && marks.length === 0;
  return { tells, more: told.length > 1, next: isSame || delivery.about === null ? null : next };
}

const nothing: Decision = { tells: null, more: false, next: null };

function tell(source: Source, news: News, { topicMap, history, mark, isFetched }: Given): Decision["tells"] {
  const event = eventOfTopic(source, topicMap, news.key);
  const isSeen = isFetched && news.isStatus === true && news.once !== null && history.status === mark(news.once);
  return event === null || event === news.isNot || isSeen ? null : { event, news };
}

/** The status that is known. One that is still to be told is not; a new order's is, as long as nothing else is known of it. */
function statusAfter({ news, isNow }: Delivery, tells: Decision["tells"], told: readonly Decision["tells"][], { history, mark }: Given) {
  const ofStatus = news.find(({ isStatus }) => isStatus);
  if (ofStatus !== undefined && told.some((one) => one !== tells && one?.news === ofStatus)) return null;
  const isLater = ofStatus === undefined && (tells === null || history.told.length > 0);
  return isNow === null || isLater ? history.status : mark(isNow);
}

export const printHistory = ({ changedAt, status, told }: History): string => JSON.stringify({ changedAt, status, told });

/** Reads what `printHistory` wrote. */
export function readHistory(value: JsonValue): History {
  const text = (name: string): string | null => {
    const found = lookUp(value, name);
    return typeof found === "string" ? found : null;
  };
  const told = lookUp(value, "told");
  return {
    changedAt: text("changedAt"),
    status: text("status"),
    told: Array.isArray(told) ? told.filter((one) => typeof one === "string") : [],
  };
}
