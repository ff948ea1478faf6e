import type { TemplateDefinition, TemplateStatus } from "../template/definition.ts";
import { unsendable } from "../template/message/unsendable.ts";
import { slotNames, type SlotNames } from "../template/slots.ts";
import type { VariableMap } from "../varspec/schema.ts";
import { slotGroups, slotLabel } from "./slot-label.ts";
import { templateChanges } from "./template-changes.ts";

const statusProblems: Record<TemplateStatus, string | null> = {
  draft: "The template is a draft: submit it for approval.",
  pending: "The template waits for the platform's approval.",
  approved: null,
  rejected: "The template was rejected: change it and submit it again.",
  paused: "The platform has paused the template.",
  disabled: "The platform has disabled the template: use another one.",
};

/**
 * Why a binding that was saved cannot send, a sentence each; empty when nothing but the payload is missing.
 * @param bound See `templateChanges`.
 */
export function bindingProblems(
  map: VariableMap,
  definition: TemplateDefinition,
  status: TemplateStatus,
  bound: SlotNames | null = null,
): string[] {
  const changes = templateChanges(bound, map, definition);
  const sendable = unsendable(definition);
  const unmapped = slotGroups.flatMap((group) =>
    slotNames(definition)
      [group.part].filter((_, index) => map[group.mapKey]?.[String(index + 1)] === undefined)
      .map((name) => `${slotLabel(group, name)} is not in the variable map.`),
  );
  const changed = `The template has changed since the binding was saved: ${changes.join("; ")}. Look at its slots and save it again.`;
  return [
    statusProblems[status],
    changes.length === 0 ? null : changed,
    sendable === null ? null : `The template cannot be sent: ${sendable}.`,
    ...unmapped,
  ].filter((problem) => problem !== null);
}
