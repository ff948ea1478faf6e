/** Time limits in milliseconds. Not settings of the operator, but tests shorten them. */
export interface TimeLimits {
  /** From the connection (or the previous answer's next byte) to the end of the headers. */
  headersMs: number;
  /** The longest gap between two pieces of a body. */
  bodyIdleMs: number;
  /** From the headers to the end of the body. */
  bodyMs: number;
  /** How long the rest of a body is discarded after an answer that did not wait for it. */
  discardMs: number;
  /** The longest gap in a body that is discarded. */
  discardIdleMs: number;
  /** How long a connection stays open between requests: longer than the usual load balancer's. */
  keepAliveMs: number;
  /** A connection without any traffic is closed. */
  socketIdleMs: number;
  /** The longest time of one attempt at the platform. */
  attemptMs: number;
  /** Counted from the request: no message is handed to the platform later. */
  handOverMs: number;
  /** Counted from the request, which is answered by then whatever the platform does; a little less than the promised 15 s, as deadlines are looked at every 20 ms. */
  answerMs: number;
  /** How long an unfinished event belongs to its gateway, by the database's clock. */
  leaseMs: number;
  /** Between two looks for what this gateway owns and nobody works on. */
  ownedMs: number;
  /** How long a result is tried to be recorded that the database refuses. */
  refusedMs: number;
  /** How long a duplicate waits for its original. */
  duplicateWaitMs: number;
  /** The longest time of one statement of an event. */
  statementMs: number;
  /** A site's events are refused while one of them has been waiting to be claimed for longer. */
  holdMs: number;
  /** Counted from the request: a claim whose answer was lost is looked for until then. */
  claimMs: number;
  /** Between two looks for waiting messages that have become due. */
  dueMs: number;
  /** The longest time of one request to an endpoint. */
  webhookMs: number;
  /** How long sent messages are counted before the counts are written. */
  sendCountsMs: number;
  /** From the first refusal of a queued message to its next try; the later waits are in proportion. */
  firstRetryMs: number;
  /** Between two searches for events that another gateway left unfinished. */
  sweepMs: number;
  /** Between two looks for shops whose orders are due to be fetched. */
  reconcileTickMs: number;
  /** Between two fetches of a shop's orders. */
  reconcileEveryMs: number;
  /** How long a shop may take to answer with a page of its orders. */
  shopAnswerMs: number;
  /** Between two looks for events that people ask for. */
  requestedTickMs: number;
  /** Between two deletions of expired idempotency keys. */
  forgetMs: number;
  /** Between two checks that the partitions of the coming weeks exist. */
  partitionsMs: number;
  /** How long uses of keys and secrets are gathered before they are written. */
  secretUsesMs: number;
  /** How long valid requests are counted before the counts are written. */
  provenMs: number;
  /** How long answers to duplicates are counted before the counts are written. */
  replaysMs: number;
  /** How long the database may take to answer a readiness check. */
  databaseCheckMs: number;
  /** After SIGTERM, requests in flight may take this long to finish. */
  shutdownMs: number;
}

export const defaultTimeLimits: TimeLimits = {
  headersMs: 10_000,
  bodyIdleMs: 10_000,
  bodyMs: 30_000,
  discardMs: 15_000,
  discardIdleMs: 2_000,
  keepAliveMs: 65_000,
  socketIdleMs: 90_000,
  attemptMs: 10_000,
  handOverMs: 14_000,
  answerMs: 14_900,
  leaseMs: 20_000,
  ownedMs: 2_000,
  refusedMs: 5_000,
  duplicateWaitMs: 15_000,
  statementMs: 5_000,
  holdMs: 5_000,
  claimMs: 10_000,
  dueMs: 400,
  webhookMs: 15_000,
  sendCountsMs: 1_000,
  firstRetryMs: 5_000,
  sweepMs: 1_000,
  reconcileTickMs: 5_000,
  reconcileEveryMs: 600_000,
  shopAnswerMs: 20_000,
  requestedTickMs: 500,
  forgetMs: 60_000,
  partitionsMs: 3_600_000,
  secretUsesMs: 1_000,
  provenMs: 10_000,
  replaysMs: 1_000,
  databaseCheckMs: 2_000,
  shutdownMs: 20_000,
};
