import { mapSlots, type MappedSlots, templateChanges } from "./binding.ts";
import type { JsonObject } from "./json.ts";
import { lookUp } from "./path.ts";
import { isE164 } from "./phone.ts";
import type { RecipientStrategy } from "./recipient.ts";
import type { MessageComponent, TemplateDefinition, TemplateStatus } from "./template/definition.ts";
import { buildComponents, tooLong, unsendable } from "./template/message.ts";
import type { SlotNames } from "./template/slots.ts";
import { storableText, memoize } from "./text.ts";
import type { VariableMap } from "./variables.ts";

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
interface Preview {
  binding_id: string;
  template: string;
  language: string;
  recipients: string[];
  slots: { header: string[]; body: string[]; buttonUrl: string[] };
  resolved: boolean;
}

/** Why a binding's messages are not sent, or reach nobody. Both empty when all is well. */
interface BindingTrace {
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

/** What is stored of an event's plan because none of its messages tells it: bindings that have no message, and phones that were dropped. */
export interface EventTrace {
  bindings: TracedBinding[];
  /** How many bindings more there are. */
  more: number;
}

export interface TracedBinding {
  bindingId: string;
  template: string;
  language: string;
  /** How many phones it would have gone to. */
  recipients: number;
  /** As the event or the settings gave them. */
  dropped: string[];
  reasons: string[];
}

const mostBindings = 20;
const mostDropped = 10;
const mostReasons = 3;
const longestPhone = 40;
const longestReason = 300;

/** Null when there is nothing to add. `logged`: each recipient of the plan has a message in the log. */
export function eventTrace({ previews, traces }: Plan, logged: boolean): EventTrace | null {
  const telling = traces.flatMap((trace, index) => {
    const preview = previews[index];
    if (preview === undefined || (logged && preview.recipients.length > 0 && trace.dropped.length === 0)) return [];
    return [{ preview, trace }];
  });
  if (telling.length === 0) return null;
  return { bindings: telling.slice(0, mostBindings).map(toTraced), more: Math.max(0, telling.length - mostBindings) };
}

const toTraced = ({ preview, trace }: { preview: Preview; trace: BindingTrace }): TracedBinding => ({
  bindingId: preview.binding_id,
  template: preview.template,
  language: preview.language,
  recipients: preview.recipients.length,
  dropped: trace.dropped.slice(0, mostDropped).map((phone) => cut(phone, longestPhone)),
  reasons: trace.reasons.slice(0, mostReasons).map((reason) => cut(reason, longestReason)),
});

const cut = (text: string, longest: number): string => storableText(text.length > longest ? `${text.slice(0, longest)}…` : text);

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
function resolveRecipients(strategy: RecipientStrategy, input: PlanInput): Recipients {
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
