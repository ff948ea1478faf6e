import { readFileSync } from "node:fs";

/** One measured case: an event's payload, a template, and for each slot the paths that a careful person would accept. */
export interface ProposalPair {
  name: string;
  event: string;
  payload: Record<string, unknown>;
  template: {
    name: string;
    language: string;
    header: string | null;
    body: string;
    buttonUrl: string | null;
    /** The example values as submitted for approval: the first is that of slot 1. */
    examples: {
      header?: string[];
      body?: string[];
      buttonUrl?: string[];
    };
  };
  /** The accepted paths by slot number, or `=` and an expression helper, the best first; an empty list: the payload has nothing for the slot. */
  expected: {
    header?: Record<number, string[]>;
    body?: Record<number, string[]>;
    buttonUrl?: Record<number, string[]>;
  };
}

/** The pairs by which the weights and the vocabulary were set. */
export const tuning = readPairs("tuning");
/** Pairs written by a person who had not seen the proposals, and kept from the one who set their weights. */
export const heldBack = readPairs("held-back");

/** A pair is a line of the file. */
function readPairs(name: string): ProposalPair[] {
  const lines = readFileSync(new URL(`${name}.jsonl`, import.meta.url), "utf8")
    .trimEnd()
    .split("\n");
  return lines.map((line) => JSON.parse(line) as ProposalPair);
}
