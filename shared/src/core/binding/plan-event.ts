import { memoize } from "../memoize.ts";
import type { TemplateDefinition } from "../template/definition.ts";
import { buildComponents } from "../template/message/build-components.ts";
import { tooLong } from "../template/message/too-long.ts";
import { unsendable } from "../template/message/unsendable.ts";
import { mapSlots, type MappedSlots } from "./map-slots.ts";
import type { BindingToPlan, BindingTrace, Plan, PlanInput, PlannedMessage, Preview } from "./plan.ts";
import { resolveRecipients } from "./resolve-recipients.ts";
import { templateChanges } from "./template-changes.ts";

/** The most messages that one event sends. */
export const MAX_MESSAGES = 200;

const MAX_REASONS = 5;

const overLimit = {
  code: "too_many_recipients",
  reason: `An event addresses at most ${MAX_MESSAGES} messages; split the recipients over several events.`,
};

interface PlannedBinding {
  preview: Preview;
  trace: BindingTrace;
  messages: PlannedMessage[];
}

/**
 * What an event sends, to whom, and why not: the one plan behind the dry run, the dashboard's preview and the real send.
 * Never throws, whatever the payload holds.
 */
export function planEvent(input: PlanInput): Plan {
  const planned = input.bindings.map((binding) => planBinding(binding, input));
  const skip = skipReason(input, planned);
  const messages = skip === null ? planned.flatMap((binding) => binding.messages) : [];
  return {
    skip,
    previews: planned.map((binding) => binding.preview),
    traces: planned.map((binding) => binding.trace),
    messages: messages.map((message, index) => (index < MAX_MESSAGES ? message : { ...message, failure: overLimit })),
  };
}

function skipReason(input: PlanInput, planned: PlannedBinding[]): Plan["skip"] {
  if (planned.length === 0) return "no_bindings";
  if (!input.account.configured) return "skipped_no_config";
  return planned.every(({ messages }) => messages.length === 0) ? "skipped_no_phone" : null;
}

function planBinding(binding: BindingToPlan, input: PlanInput): PlannedBinding {
  const { id, template, variableMap } = binding;
  const { phones, dropped, reason } = resolveRecipients(binding.recipient, input);
  const slots = mapSlots(variableMap, template.definition, { payload: input.payload, now: input.now, timezone: input.account.timezone });
  const status = notApproved(template);
  const content = standingFailure(binding) ?? contentFailure(template.definition, slots);
  // Content that cannot be sent may be a megabyte that no log needs once a recipient.
  const components = content === null ? buildComponents(template.definition, slots.sent) : [];
  const failure = status ?? content;
  return {
    preview: {
      binding_id: id,
      template: template.name,
      language: template.language,
      recipients: phones,
      slots: slots.mapped,
      resolved: slots.unresolved.length === 0 && phones.length > 0,
    },
    trace: { bindingId: id, reasons: [reason, status?.reason, content?.reason].filter((why) => typeof why === "string"), dropped },
    messages: phones.map((toPhone) => ({
      bindingId: id,
      templateId: template.id,
      template: template.name,
      language: template.language,
      toPhone,
      components,
      failure,
    })),
  };
}

type Failure = PlannedMessage["failure"];

function notApproved({ name, language, status }: BindingToPlan["template"]): Failure {
  if (status === "approved") return null;
  return { code: "template_not_approved", reason: `The template ${name} (${language}) is ${status}; only an approved one can be sent.` };
}

/** What no payload changes is found once a binding. */
const standingFailure = memoize((binding: BindingToPlan): Failure => unsendableFailure(binding.template.definition) ?? notFitting(binding));

function unsendableFailure(definition: TemplateDefinition): Failure {
  const reason = unsendable(definition);
  return reason === null ? null : { code: "template_not_sendable", reason: `The template cannot be sent: ${reason}.` };
}

/** Its values may stand in slots that mean something else by now. */
function notFitting({ template, variableMap }: BindingToPlan): Failure {
  const changes = templateChanges(template.boundShape ?? null, variableMap, template.definition);
  if (changes.length === 0) return null;
  const { name, language } = template;
  const reason = `The template ${name} (${language}) has changed since the binding was saved: ${firstOf(changes)}. Save the binding's slots again.`;
  return { code: "template_changed", reason };
}

function contentFailure(definition: TemplateDefinition, slots: MappedSlots): Failure {
  if (slots.unresolved.length > 0) return { code: "slot_unresolved", reason: firstOf(slots.unresolved) };
  const long = tooLong(definition, slots.sent);
  return long === null ? null : { code: "too_long", reason: long };
}

/** A log line a recipient: enough to go by, however many slots are empty. */
function firstOf(reasons: string[]): string {
  const rest = reasons.length - MAX_REASONS;
  return reasons.slice(0, MAX_REASONS).join("; ") + (rest > 0 ? `; and ${rest} more` : "");
}
