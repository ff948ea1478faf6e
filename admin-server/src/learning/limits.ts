import type { Lateness } from "shared/db/event-kind";

/** How much is learned at a time. Settings of the program, not of its operator: tests change them. */
export interface LearningLimits extends Lateness {
  /** A site that was looked at rests so long, unless somebody asks for it. */
  restSeconds: number;
  /** Sites that one round looks at. */
  dueSites: number;
  /** Sites that are learned in one transaction. */
  sites: number;
  /** Events that are read in one transaction, of all its sites. */
  rows: number;
  /** Payloads that one run learns of its sites in full, and their bytes; beyond it… */
  payloads: number;
  bytes: number;
  /** …only the newest of each name in a transaction, as far as these bytes go. */
  samples: number;
  sampleBytes: number;
  /** A longer payload is not looked into. */
  payloadBytes: number;
  /** One run goes on so long while there is more. */
  runMs: number;
  /** Somebody who asks waits so long at the most for what is still to be learned. */
  askMs: number;
  /** Kinds of events that are kept of a site. */
  kinds: number;
}

const MIB = 1024 * 1024;

export const defaultLearningLimits: LearningLimits = {
  freshSeconds: 10,
  settledSeconds: 120,
  restSeconds: 30,
  dueSites: 4_000,
  sites: 40,
  rows: 2_000,
  payloads: 1_000,
  bytes: 16 * MIB,
  samples: 5,
  sampleBytes: 2 * MIB,
  payloadBytes: 4 * MIB,
  runMs: 5_000,
  askMs: 1_500,
  kinds: 1_000,
};
