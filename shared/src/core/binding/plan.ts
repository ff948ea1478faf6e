import type { JsonObject } from "../json/value.ts";
import type { MessageComponent } from "../template/component.ts";
import type { TemplateDefinition, TemplateStatus } from "../template/definition.ts";
import type { SlotNames } from "../template/slots.ts";
import type { VariableMap } from "../varspec/schema.ts";
import type { RecipientStrategy } from "./recipient.ts";

export interface BindingToPlan {
  id: string;
  recipient: RecipientStrategy;
  variableMap: VariableMap;
  template: TemplateToSend;
}

export interface TemplateToSend {
  id: string;
  name: string;
  language: string;
  status: TemplateStatus;
  definition: TemplateDefinition;
  /** The slots that the binding's map was written for; null when they are not known. */
  boundShape?: SlotNames | null | undefined;
}

export interface PlanInput {
  /** The enabled bindings of the site and event, in the order in which they fire. */
  bindings: BindingToPlan[];
  payload: JsonObject;
  /** See `isTestEvent`: every binding then goes to the site's test phone only. */
  test: boolean;
  site: { testPhone: string | null; activePhones: string[] };
  account: { timezone: string; configured: boolean };
  now: Date;
}

/** One message to one phone. With `failure` it is never sent, only logged. */
export interface PlannedMessage {
  bindingId: string;
  templateId: string;
  template: string;
  language: string;
  toPhone: string;
  components: MessageComponent[];
  failure: { code: string; reason: string } | null;
}

/** The spec's preview entry: member names and order are what the dry run answers. */
export interface Preview {
  binding_id: string;
  template: string;
  language: string;
  recipients: string[];
  slots: { header: string[]; body: string[]; buttonUrl: string[] };
  resolved: boolean;
}

/** Why a binding's messages are not sent, or reach nobody. Both empty when all is well. */
export interface BindingTrace {
  bindingId: string;
  reasons: string[];
  /** Phones that nothing is sent to, because they are not E.164, as they were given. */
  dropped: string[];
}

export interface Plan {
  /** Why nothing is sent at all, else null. */
  skip: "no_bindings" | "skipped_no_config" | "skipped_no_phone" | null;
  previews: Preview[];
  /** In the order of `previews`. */
  traces: BindingTrace[];
  /** Empty when skipped. */
  messages: PlannedMessage[];
}
