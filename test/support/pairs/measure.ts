import { learnFields } from "shared/core/fields/learn";
import { type Proposal, proposeMapping } from "shared/core/propose/propose";
import type { TemplateDefinition } from "shared/core/template/definition";
import type { ProposalPair } from "./pairs.ts";

export interface Measured {
  /** The share of all slots for which the right path, or rightly none, is proposed. */
  share: number;
  slots: number;
  wrong: string[];
}

/** The right and the wrong proposals for the slots of pairs. */
export function measure(pairs: readonly ProposalPair[]): Measured {
  const results = pairs.flatMap((pair) => {
    const fields = learnFields(pair.payload as Parameters<typeof learnFields>[0]);
    return proposeMapping(pair.event, fields, templateOf(pair)).map((proposal) => {
      const { part, slot } = proposal;
      const accepted = pair.expected[part]?.[slot] ?? [];
      const proposed = nameOf(proposal);
      const isRight = proposed === null ? accepted.length === 0 : accepted.includes(proposed);
      return isRight ? null : `${pair.name}: ${part} ${slot}: ${proposed ?? "none"} instead of ${accepted[0] ?? "none"}`;
    });
  });
  const wrong = results.filter((one) => one !== null);
  return { share: 1 - wrong.length / results.length, slots: results.length, wrong };
}

/** A proposal in the form of pairs: a path, or `=` and an expression helper. */
const nameOf = ({ path, expr }: Proposal): string | null => (expr === null ? path : `=${expr}`);

function templateOf({ template: { header, body, buttonUrl, examples } }: ProposalPair): TemplateDefinition {
  return {
    parameterFormat: "POSITIONAL",
    header: header === null ? null : { format: "TEXT", text: header },
    body,
    footer: null,
    buttons: buttonUrl === null ? [] : [{ type: "URL", text: "Open", url: buttonUrl }],
    examples: { header: examples.header ?? [], body: examples.body ?? [], buttonUrl: examples.buttonUrl ?? [] },
  };
}
