import type { ProposalPair } from "./pair.ts";
import { partOne } from "./tuning-1.ts";
import { partTwo } from "./tuning-2.ts";
import { partThree } from "./tuning-3.ts";
import { partFour } from "./tuning-4.ts";
import { partFive } from "./tuning-5.ts";

/** The pairs by which the weights were set. */
export const tuning: ProposalPair[] = [...partOne, ...partTwo, ...partThree, ...partFour, ...partFive];
