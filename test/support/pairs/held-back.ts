import { partOne } from "./held-back-1.ts";
import { partTwo } from "./held-back-2.ts";
import { partThree } from "./held-back-3.ts";
import { partFour } from "./held-back-4.ts";
import type { ProposalPair } from "./pair.ts";

/** Pairs written by a person who had not seen the proposals, and kept from the one who set their weights. */
export const heldBack: ProposalPair[] = [...partOne, ...partTwo, ...partThree, ...partFour];
