import { storableText } from "../text/storable-text.ts";
import type { BindingTrace, Plan, Preview } from "./plan.ts";

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
