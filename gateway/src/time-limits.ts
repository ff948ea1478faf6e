/** Time limits in milliseconds. Not settings of the operator, but tests shorten them. */
export const defaultTimeLimits = {
  /** From the connection (or the previous answer's next byte) to the end of the headers. */
  headersMs: 10_000,
  /** The longest gap between two pieces of a body. */
  bodyIdleMs: 10_000,
  /** From the headers to the end of the body. */
  bodyMs: 30_000,
  /** How long the rest of a body is discarded after an answer that did not wait for it. */
  discardMs: 15_000,
  /** The longest gap in a body that is discarded. */
  discardIdleMs: 2_000,
  /** How long a connection stays open between requests: longer than the usual load balancer's. */
  keepAliveMs: 65_000,
  /** A connection without any traffic is closed. */
  socketIdleMs: 90_000,
  /** The longest time of one attempt at the platform. */
  attemptMs: 10_000,
  /** Counted from the request: no message is handed to the platform later. */
  handOverMs: 14_000,
  /** Counted from the request, which is answered by then whatever the platform does; a little less than the promised 15 s, as deadlines are looked at every 20 ms. */
  answerMs: 14_900,
  /** How long an unfinished event belongs to its gateway, by the database's clock. */
  leaseMs: 20_000,
  /** Between two looks for what this gateway owns and nobody works on. */
  ownedMs: 2_000,
  /** How long a result is tried to be recorded that the database refuses. */
  refusedMs: 10_000,
  /** How long a duplicate waits for its original. */
  duplicateWaitMs: 15_000,
  /** The longest time of one statement of an event. */
  statementMs: 5_000,
  /**
   * The longest time of statements for which nobody waits: more than a slow database needs for a transaction, which would else be repeated beside itself, for
   * the same connections and locks, until nothing is done any more; and little enough that what a lost answer has taken is free again after ten seconds.
   */
  patientMs: 7_500,
  /** A site's events are refused while one of them has been waiting to be claimed for longer. */
  holdMs: 5_000,
  /** Counted from the request: a claim whose answer was lost is looked for until then. */
  claimMs: 10_000,
  /** Between two looks for waiting messages that have become due. */
  dueMs: 400,
  /** Between two looks of each loop while the gateway is quiet. What comes or falls due wakes it, so this is a second way to what that misses. */
  restMs: 30_000,
  /** The longest time of one request to an endpoint. */
  webhookMs: 15_000,
  /** From the first refusal of a queued message to its next try; the later waits are in proportion. */
  firstRetryMs: 5_000,
  /** Between two searches for events that another gateway left unfinished. */
  sweepMs: 1_000,
  /** Between two looks for shops whose orders are due to be fetched. */
  reconcileTickMs: 5_000,
  /** Between two fetches of a shop's orders. */
  reconcileEveryMs: 600_000,
  /** How long a shop may take to answer with a page of its orders. */
  shopAnswerMs: 20_000,
  /** Between two looks for events that people ask for. */
  requestedTickMs: 500,
  /** Between two deletions of expired idempotency keys. */
  forgetMs: 60_000,
  /** Between two checks that the partitions of the coming weeks exist. */
  partitionsMs: 3_600_000,
  /** How long what requests leave behind for the dashboard is gathered before it is written. */
  notesMs: 1_000,
  /** How long valid requests are counted before the counts are written. */
  provenMs: 10_000,
  /** Between two counts of all that waits, at the one gateway that counts. */
  backlogMs: 15_000,
  /** How long the database may take to answer a readiness check. */
  databaseCheckMs: 2_000,
  /** After SIGTERM, requests in flight may take this long to finish. */
  shutdownMs: 20_000,
};

export type TimeLimits = typeof defaultTimeLimits;
