import type { ExpressionName } from "shared/core/expressions";
import type { RecipientStrategy } from "shared/core/recipient";
import type { VariableMap, VarSpec } from "shared/core/variables";

export type MapKey = keyof VariableMap;
/** A slot by its group and number: `body.1`. */
export type SlotKey = `${MapKey}.${number}`;

/** What fills a slot, as far as it was entered. What another source needs is kept while one is chosen. */
export interface SlotDraft {
  source: VarSpec["source"];
  path: string;
  value: string;
  expr: ExpressionName;
  fallback: string;
}

/** A binding as far as it was entered. `slots` may hold some of a template that was chosen before: only those of the chosen one count. */
export interface BindingDraft {
  siteId: string;
  event: string;
  templateId: string;
  strategy: RecipientStrategy["strategy"];
  phone: string;
  phonePath: string;
  slots: Partial<Record<SlotKey, SlotDraft>>;
  enabled: boolean;
}

/** A binding that was saved. */
export interface SavedBinding {
  siteId: string;
  event: string;
  templateId: string;
  recipient: RecipientStrategy;
  variableMap: VariableMap;
  enabled: boolean;
}

export const emptySlot: SlotDraft = { source: "field", path: "", value: "", expr: "customer.full_name", fallback: "" };

export const emptyDraft: BindingDraft = {
  siteId: "",
  event: "",
  templateId: "",
  strategy: "customer",
  phone: "",
  phonePath: "",
  slots: {},
  enabled: true,
};

export function toDraft({ siteId, event, templateId, recipient, variableMap, enabled }: SavedBinding): BindingDraft {
  return {
    siteId,
    event,
    templateId,
    strategy: recipient.strategy,
    phone: recipient.strategy === "static_phone" ? recipient.phone : "",
    phonePath: recipient.strategy === "field_path" ? recipient.path : "",
    slots: Object.fromEntries(
      Object.entries(variableMap).flatMap(([key, specs]) =>
        Object.entries(specs ?? {}).map(([slot, spec]) => [`${key}.${slot}`, toSlot(spec)]),
      ),
    ),
    enabled,
  };
}

const toSlot = (spec: VarSpec): SlotDraft => ({ ...emptySlot, ...spec, fallback: "fallback" in spec ? (spec.fallback ?? "") : "" });
