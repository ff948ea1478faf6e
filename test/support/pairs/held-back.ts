import { partOne } from "./held-back-1.ts";
import { partTwo } from "./held-back-2.ts";
import { partThree } from "./held-back-3.ts";
import type { ProposalPair } from "./pair.ts";

/** Pairs written before and apart from the proposals, and kept from whoever sets the weights. */
export const heldBack: ProposalPair[] = [...partOne, ...partTwo, ...partThree];
