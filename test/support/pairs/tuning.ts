import type { ProposalPair } from "./pair.ts";
import { partOne } from "./tuning-1.ts";
import { partTwo } from "./tuning-2.ts";
import { partThree } from "./tuning-3.ts";
import { partFour } from "./tuning-4.ts";
import { partFive } from "./tuning-5.ts";
import { partSix } from "./tuning-6.ts";
import { partSeven } from "./tuning-7.ts";
import { partEight } from "./tuning-8.ts";
import { partNine } from "./tuning-9.ts";
import { partTen } from "./tuning-10.ts";
import { partEleven } from "./tuning-11.ts";
import { partTwelve } from "./tuning-12.ts";

/** The pairs by which the weights and the vocabulary were set. */
export const tuning: ProposalPair[] = [
  ...partOne,
  ...partTwo,
  ...partThree,
  ...partFour,
  ...partFive,
  ...partSix,
  ...partSeven,
  ...partEight,
  ...partNine,
  ...partTen,
  ...partEleven,
  ...partTwelve,
];
