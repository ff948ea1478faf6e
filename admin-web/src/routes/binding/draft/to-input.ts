import { slotGroups } from "shared/core/binding";
import type { RecipientStrategy } from "shared/core/recipient";
import type { TemplateDefinition } from "shared/core/template/definition";
import { slotNames } from "shared/core/template/slots";
import type { VariableMap, VarSpec } from "shared/core/variables";
import type { BindingDraft, SavedBinding, SlotDraft } from "./binding-draft.ts";

/** What the server takes for the draft. `template`: the chosen one; until it is known no slot is filled. */
export function toInput(draft: BindingDraft, template: TemplateDefinition | undefined): SavedBinding {
  const { siteId, event, templateId, enabled } = draft;
  const variableMap = template === undefined ? {} : toVariableMap(draft.slots, template);
  return { siteId, event: event.trim(), templateId, recipient: toRecipient(draft), variableMap, enabled };
}

function toRecipient({ strategy, phone, phonePath }: Pick<BindingDraft, "strategy" | "phone" | "phonePath">): RecipientStrategy {
  if (strategy === "static_phone") return { strategy, phone };
  return strategy === "field_path" ? { strategy, path: phonePath.trim() } : { strategy };
}

/** Only the slots that the template has, and of those only the ones that something was entered for. */
function toVariableMap(slots: BindingDraft["slots"], template: TemplateDefinition): VariableMap {
  const names = slotNames(template);
  const groups = slotGroups.map(({ mapKey, part }) => {
    const specs = names[part].flatMap((_, index) => {
      const spec = toSpec(slots[`${mapKey}.${index + 1}`]);
      return spec === undefined ? [] : [[String(index + 1), spec] as const];
    });
    return [mapKey, Object.fromEntries(specs)] as const;
  });
  return Object.fromEntries(groups.filter(([, specs]) => Object.keys(specs).length > 0));
}

function toSpec(slot: SlotDraft | undefined): VarSpec | undefined {
  if (slot === undefined) return undefined;
  const { source, value, expr } = slot;
  const path = slot.path.trim();
  const fallback = slot.fallback === "" ? {} : { fallback: slot.fallback };
  switch (source) {
    case "field":
      return path === "" && slot.fallback === "" ? undefined : { source, path, ...fallback };
    case "static":
      return value === "" ? undefined : { source, value };
    case "expression":
      return { source, expr, ...fallback };
  }
}
