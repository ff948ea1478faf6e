import { lookUp } from "../path.ts";
import { isE164 } from "../phone.ts";
import type { PlanInput } from "./plan.ts";
import type { RecipientStrategy } from "./recipient.ts";

/** Who gets a binding's message. */
export interface Recipients {
  /** E.164, each once. */
  phones: string[];
  /** What is no E.164, as it was given. */
  dropped: string[];
  /** Why there is none, else null. */
  reason: string | null;
}

/** The phones of one binding. A test event goes to the site's test phone whatever the strategy; what is not E.164 is dropped. */
export function resolveRecipients(strategy: RecipientStrategy, input: PlanInput): Recipients {
  const { candidates, none } = candidatesOf(input.test ? { strategy: "test" } : strategy, input);
  const phones = [...new Set(candidates.filter(isE164))];
  const dropped = candidates.filter((candidate) => !isE164(candidate));
  if (phones.length > 0) return { phones, dropped, reason: null };
  const reason = candidates.length === 0 ? none : `${candidates.length === 1 ? "the phone is" : "the phones are"} not E.164`;
  return { phones, dropped, reason };
}

/** `none`: what to say when there is no candidate at all. */
function candidatesOf(strategy: RecipientStrategy, { payload, site }: PlanInput): { candidates: string[]; none: string } {
  const atPath = (path: string): { candidates: string[]; none: string } => {
    const value = lookUp(payload, path);
    return { candidates: typeof value === "string" && value !== "" ? [value] : [], none: `no recipient: ${path} is missing or no text` };
  };
  switch (strategy.strategy) {
    case "customer":
      return atPath("customer.phone_e164");
    case "field_path":
      return atPath(strategy.path);
    case "site_recipients":
      return { candidates: site.activePhones, none: "no recipient: the site's list has no active phone" };
    case "static_phone":
      return { candidates: [strategy.phone], none: "" };
    case "test":
      return { candidates: site.testPhone === null ? [] : [site.testPhone], none: "no recipient: the site has no test phone" };
  }
}
