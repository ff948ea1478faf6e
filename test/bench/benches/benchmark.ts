import type { Figure } from "../report/figure.ts";
import type { Cluster } from "../world/cluster.ts";

/** What a benchmark is given. */
export interface Run {
  cluster: Cluster;
  rounds: number;
  /** How long a load lasts. */
  seconds: number;
  /** Requests before each load, which do not count. */
  warmUp: number;
  /** Small sizes: does it work at all? */
  quick: boolean;
}

/** Measures, prints, and answers the figures for the table at the end. */
export type Benchmark = (run: Run) => Promise<Figure[]>;
