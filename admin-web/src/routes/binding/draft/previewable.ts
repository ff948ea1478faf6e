import { parseEventName } from "shared/core/event";
import { recipientSchema } from "shared/core/recipient";
import { variableMapSchema } from "shared/core/variables";
import type { VariableMap } from "shared/core/variables";
import type { SavedBinding } from "./binding-draft.ts";

/** A binding that is still being written, so that it can be tried out. */
export interface Previewable {
  input: Omit<SavedBinding, "enabled">;
  /** Whether the recipient can be tried out; one that is not whole yet is left out. */
  hasRecipient: boolean;
}

/** What of the input can be tried out: slots that the server would refuse count as not filled. Null while there is too little. */
export function previewable({ siteId, event, templateId, recipient, variableMap }: SavedBinding): Previewable | null {
  const name = parseEventName(event);
  if (siteId === "" || templateId === "" || name === null) return null;
  const hasRecipient = recipientSchema.safeParse(recipient).success;
  return {
    input: {
      siteId,
      event: name,
      templateId,
      recipient: hasRecipient ? recipient : { strategy: "test" },
      variableMap: withoutFaulty(variableMap),
    },
    hasRecipient,
  };
}

function withoutFaulty(map: VariableMap): VariableMap {
  const places = (variableMapSchema.safeParse(map).error?.issues ?? []).map(({ path }) => path.slice(0, 2).join("."));
  const groups = Object.entries(map).map(
    ([key, specs]) =>
      [key, Object.fromEntries(Object.entries(specs ?? {}).filter(([slot]) => !places.includes(`${key}.${slot}`)))] as const,
  );
  return Object.fromEntries(groups);
}
