import { mapSlots, type MappedSlots, templateChanges } from "./binding.ts";
import type { CompiledConditions, UnmetConditions } from "./conditions.ts";
import { describeReason, type EmptySlot, type PlanFailure, type Reason, type SlotChange, type Unreached } from "./reason.ts";
import type { RecipientStrategy } from "./recipient.ts";
import { type RecipientInput, resolveRecipients, type UnreadPhone, whyNobody } from "./resolve-recipients.ts";
import type { DueProblem, Timing, TimingOf } from "./schedule/due.ts";
import type { TemplateDefinition, TemplateStatus } from "./template/definition.ts";
import { buildComponents, longCode, noComponents, tooLong, unsendable } from "./template/message.ts";
import type { TemplateShape } from "./template/shape.ts";
import { memoize, shorten, storableText } from "./text.ts";
import type { VariableMap } from "./variables.ts";

export interface PlanInput extends RecipientInput {
  /** The enabled bindings of the site and event, in the order in which they fire. */
  bindings: BindingToPlan[];
  account: { timezone: string; configured: boolean };
  /** Whether all of its messages go through the queue, where they wait for a paused template. */
  queued?: boolean | undefined;
  /** When the event was received. */
  now: Date;
}

export interface BindingToPlan {
  id: string;
  /** Another one after each change. */
  version?: string | undefined;
  recipient: RecipientStrategy;
  variableMap: VariableMap;
  template: TemplateToSend;
  /** Made by `compileConditions`; without them the binding always fires. */
  conditions?: CompiledConditions | null | undefined;
  /** Made by `compileSchedule`; without it the binding's messages leave at once. */
  schedule?: TimingOf | null | undefined;
}

export interface TemplateToSend {
  id: string;
  name: string;
  language: string;
  status: TemplateStatus;
  definition: TemplateDefinition;
  /** The slots that the binding's map was written for; null when they are not known. */
  boundShape?: TemplateShape | null | undefined;
}

export interface Plan {
  /** The reason why nothing is sent at all, else null. */
  skip: "no_bindings" | "skipped_conditions" | "skipped_no_config" | "skipped_no_phone" | null;
  /** The bindings with conditions or a schedule. Bindings with unmet conditions do not fire, and stand in no other list. */
  judged: readonly JudgedBinding[];
  previews: Preview[];
  /** The traces in the order of `previews`. */
  traces: BindingTrace[];
  /** The messages; none when skipped. */
  messages: PlannedMessage[];
}

export interface JudgedBinding {
  binding: BindingToPlan;
  /** Null if the binding fires. */
  unmet: Unmet | null;
  /** Null if the binding does not fire, or has no schedule. */
  timing: Timing | null;
  /** The recipients that the conditions leave out by their country. */
  excluded?: readonly string[];
  /** Why, where nobody is left. */
  excludedFor?: Reason | null;
}

/** The reason why a binding does not fire. */
export type Unmet = UnmetConditions | DueProblem;

/** The spec's preview entry: member names and order are the dry run's answer. */
interface Preview {
  binding_id: string;
  template: string;
  language: string;
  recipients: string[];
  slots: { header: string[]; body: string[]; buttonUrl: string[] };
  resolved: boolean;
  /** ISO 8601; absent where the messages leave now. */
  due_at?: string;
}

/** The reasons why a binding's messages are not sent, or reach nobody. Both lists are empty when all is well. */
interface BindingTrace extends Pick<TracedBinding, "bindingId" | "dropped" | "phoneProblems"> {
  reasons: Reason[];
}

/** One message to one phone. With `failure` it is never sent, only logged. */
export interface PlannedMessage {
  bindingId: string;
  templateId: string;
  template: string;
  language: string;
  toPhone: string;
  /** The message's content as the platform gets it, in JSON; see `buildComponents`. */
  components: string;
  failure: PlanFailure | null;
  /** Null for a binding without schedule. */
  timing: Timing | null;
}

/** The most messages that one event sends. */
export const maxMessages = 200;

const overLimit: PlanFailure = { code: "too_many_recipients", limit: maxMessages };

/** The failure of a message to somebody who opted out. */
export const optedOut: PlanFailure = { code: "recipient_opted_out" };

/**
 * The messages of an event, their recipients, and the reasons why others are not sent: the one plan behind the dry run, the dashboard's preview and the
 * real send. Never throws, whatever the payload holds.
 */
export function planEvent(input: PlanInput): Plan {
  const judged = judge(input);
  const known = judged === noneJudged ? null : new Map(judged.map((each) => [each.binding, each]));
  const firing = known === null ? input.bindings : input.bindings.filter((binding) => !known.get(binding)?.unmet);
  const planned = firing.map((binding) => planBinding(binding, input, known?.get(binding)));
  const skip = skipReason(input, planned);
  const messages = skip === null ? planned.flatMap((binding) => binding.messages) : [];
  for (let index = maxMessages; index < messages.length; index += 1)
    messages[index] = { ...(messages[index] as PlannedMessage), failure: overLimit };
  return {
    skip,
    judged,
    previews: bounded(planned.map((binding) => binding.preview)),
    traces: planned.map((binding) => binding.trace),
    messages,
  };
}

const noneJudged: readonly JudgedBinding[] = [];

function judge(input: PlanInput): readonly JudgedBinding[] {
  const { bindings } = input;
  if (!bindings.some(({ conditions, schedule }) => conditions || schedule)) return noneJudged;
  return bindings.flatMap((binding) => (binding.conditions || binding.schedule ? judgeBinding(binding, input) : []));
}

function judgeBinding(binding: BindingToPlan, input: PlanInput): JudgedBinding {
  const { payload, now } = input;
  const { excluded, unmet } = judgeConditions(binding, input);
  const timing = unmet === null && binding.schedule ? binding.schedule(payload, now) : null;
  if (timing !== null && "code" in timing) return { binding, unmet: timing, timing: null, excluded };
  return { binding, unmet, timing, excluded, excludedFor: unmet && excludedReason(excluded, input) };
}

/** What a binding's conditions say of the event, and which recipients they leave out. They are unmet too where nobody is left. */
export function judgeConditions({ conditions, recipient }: Pick<BindingToPlan, "conditions" | "recipient">, input: RecipientInput) {
  const unmet = conditions?.(input.payload) ?? null;
  if (unmet !== null || !conditions?.ofCountry) return { unmet, excluded: [] };
  const judgeCountry = conditions.ofCountry(input.payload);
  const { phones } = resolveRecipients(recipient, input);
  const judged = phones.map((phone) => judgeCountry(input.countryOf?.(phone) ?? null));
  const excluded = phones.filter((_, index) => judged[index] !== null);
  return { excluded, unmet: excluded.length < phones.length ? null : (judged[0] ?? null) };
}

/** The most characters that the values of all previews have in full; later values are cut. */
const mostShown = 262_144;
const shownOfRest = 60;

function bounded(previews: Preview[]): Preview[] {
  let shown = 0;
  for (const { slots } of previews) {
    for (const part of ["header", "body", "buttonUrl"] as const) {
      const texts = slots[part];
      shown += texts.reduce((sum, text) => sum + text.length, 0);
      if (shown > mostShown) slots[part] = texts.map((text) => shorten(text, shownOfRest));
    }
  }
  return previews;
}

function skipReason(input: PlanInput, planned: readonly { messages: PlannedMessage[] }[]): Plan["skip"] {
  if (input.bindings.length === 0) return "no_bindings";
  if (planned.length === 0) return "skipped_conditions";
  if (!input.account.configured) return "skipped_no_config";
  return planned.every(({ messages }) => messages.length === 0) ? "skipped_no_phone" : null;
}

function planBinding(binding: BindingToPlan, input: PlanInput, judged: JudgedBinding | undefined) {
  const { id, template, variableMap } = binding;
  const { timing = null, excluded = [] } = judged ?? {};
  const { phones: all, dropped, reason, phoneProblems } = resolveRecipients(binding.recipient, input);
  const phones = excluded.length === 0 ? all : all.filter((phone) => !excluded.includes(phone));
  const slots = mapSlots(variableMap, template.definition, { payload: input.payload, now: input.now, timezone: input.account.timezone });
  const status = statusFailure(template, input.queued === true || timing?.dueAt != null);
  const content = standingFailure(binding) ?? contentFailure(template.definition, slots);
  const isFit = !slots.unsendable.some(({ code }) => code === "url_not_fitting") && longCode(template.definition, slots.sent) === null;
  // Content that cannot be sent may have a megabyte, which the log need not hold once for each recipient.
  const components = content === null ? JSON.stringify(buildComponents(template.definition, slots.sent)) : noComponents;
  return {
    preview: {
      binding_id: id,
      template: template.name,
      language: template.language,
      recipients: phones,
      slots: slots.mapped,
      resolved: slots.unresolved.length === 0 && isFit && phones.length > 0,
      ...(timing?.dueAt && { due_at: timing.dueAt.toISOString() }),
    },
    trace: {
      bindingId: id,
      reasons: [reason, excludedReason(excluded, input), status, content].filter((each) => each !== null),
      dropped,
      ...(phoneProblems.length > 0 && { phoneProblems }),
    },
    messages: phones.map((toPhone) => ({
      bindingId: id,
      templateId: template.id,
      template: template.name,
      language: template.language,
      toPhone,
      components,
      failure: status ?? content,
      timing,
    })),
  };
}

/** The reason why recipients are left out by their country. */
function excludedReason(excluded: readonly string[], { countryOf }: RecipientInput): Reason | null {
  if (excluded.length === 0) return null;
  const countries = [...new Set(excluded.map((phone) => countryOf?.(phone) ?? "?"))].toSorted();
  return { code: "country_excluded", count: excluded.length, countries: countries.slice(0, mostListed) };
}

const statusFailure = ({ name, language, status }: TemplateToSend, isQueued: boolean): PlanFailure | null =>
  status === "approved" || (status === "paused" && isQueued)
    ? null
    : { code: "template_not_approved", status, of: { template: name, language } };

/** The failures that no payload changes, found once for each binding. */
const standingFailure = memoize(
  (binding: BindingToPlan): PlanFailure | null => unsendable(binding.template.definition) ?? changedFailure(binding),
);

/** The failure of a binding whose template has changed: its values may stand in slots with another meaning by now. */
function changedFailure({ template, variableMap }: BindingToPlan): PlanFailure | null {
  const changes = templateChanges(template.boundShape ?? null, variableMap, template.definition);
  if (changes.length === 0) return null;
  const { shown, more } = firstOf<SlotChange>(changes);
  return { code: "template_changed", changes: shown, more, of: { template: template.name, language: template.language } };
}

function contentFailure(definition: TemplateDefinition, { unresolved, unsendable: values, sent }: MappedSlots): PlanFailure | null {
  if (unresolved.length === 0) return values[0] ?? tooLong(definition, sent);
  const { shown, more } = firstOf<EmptySlot>(unresolved);
  return { code: "slot_unresolved", slots: shown, more };
}

const mostListed = 5;

/** The first few items: the log keeps one line for each recipient. */
const firstOf = <T>(all: T[]): { shown: T[]; more: number } => ({
  shown: all.slice(0, mostListed),
  more: Math.max(0, all.length - mostListed),
});

/** The first message of a live event without a recipient, and why. Null when each has one, when nothing is sent for another reason, and for tests. */
export function findUnreached({ skip, previews }: Plan, input: PlanInput, dryRun: boolean): Unreached | null {
  if (input.test || dryRun || (skip !== null && skip !== "skipped_no_phone")) return null;
  const without = previews.find(({ recipients }) => recipients.length === 0);
  const binding = without && input.bindings.find(({ id }) => id === without.binding_id);
  return binding === undefined ? null : whyNobody(binding.recipient, input);
}

/** The part of an event's plan that none of its messages tells, as it is stored: bindings without a message, those whose conditions are unmet, and dropped phones. */
export interface EventTrace {
  /** The name that a shop gave to its own post. */
  topic?: string;
  bindings: TracedBinding[];
  /** The number of further bindings. */
  more: number;
}

export interface TracedBinding {
  bindingId: string;
  template: string;
  language: string;
  /** The number of phones that the binding's message would have gone to. */
  recipients: number;
  /** The phones that are not E.164, as the event or the settings gave them: nothing is sent to them. */
  dropped: string[];
  /** Absent when there are none, and in traces of earlier versions. */
  phoneProblems?: UnreadPhone[];
  reasons: string[];
  /** The same reasons as data, null for one that is too long to keep; absent in traces of earlier versions. */
  reasonCodes?: (Reason | null)[];
  /** The reason why it did not fire; absent if it fired. */
  unmet?: Unmet;
}

const mostBindings = 20;
/** The most bindings with unmet conditions in a trace: as many as an event may have, since there is little to store of each. */
const mostUnmet = 50;
const mostDropped = 10;
const mostReasons = 3;
const longestPhone = 40;
const longestReason = 300;
/** The most characters of a reason as JSON. */
const longestCode = 1000;

/** The trace of a plan, null when its messages tell everything. `logged`: each recipient of the plan has a message in the log. */
export function eventTrace({ previews, traces, judged }: Plan, logged: boolean): EventTrace | null {
  const telling = traces.flatMap((trace, index) => {
    const preview = previews[index];
    const isTold = logged && trace.dropped.length === 0 && !trace.reasons.some(({ code }) => code === "country_excluded");
    return preview === undefined || (isTold && preview.recipients.length > 0) ? [] : [{ preview, trace }];
  });
  const notFired = judged.flatMap(({ binding, unmet, excludedFor = null }) => (unmet === null ? [] : toUnmet(binding, unmet, excludedFor)));
  if (telling.length === 0 && notFired.length === 0) return null;
  const bindings = [...telling.slice(0, mostBindings).map(toTraced), ...notFired.slice(0, mostUnmet)];
  return { bindings, more: telling.length + notFired.length - bindings.length };
}

const toUnmet = ({ id, template: { name, language } }: BindingToPlan, unmet: Unmet, excluded: Reason | null): TracedBinding => ({
  bindingId: id,
  template: name,
  language,
  recipients: 0,
  dropped: [],
  reasons: excluded === null ? [] : [describeReason(excluded)],
  ...(excluded && { reasonCodes: [excluded] }),
  unmet,
});

function toTraced({ preview, trace }: { preview: Preview; trace: BindingTrace }): TracedBinding {
  const reasons = trace.reasons.slice(0, mostReasons);
  return {
    bindingId: preview.binding_id,
    template: preview.template,
    language: preview.language,
    recipients: preview.recipients.length,
    dropped: trace.dropped.slice(0, mostDropped).map((phone) => cut(phone, longestPhone)),
    ...(trace.phoneProblems && {
      phoneProblems: trace.phoneProblems.map(({ value, reason }) => ({ value: cut(value, longestPhone), reason })),
    }),
    reasons: reasons.map((reason) => cut(describeReason(reason), longestReason)),
    reasonCodes: reasons.map((reason) => (JSON.stringify(reason).length > longestCode ? null : reason)),
  };
}

const cut = (text: string, longest: number): string => storableText(shorten(text, longest));
