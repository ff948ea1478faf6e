import type { TemplateDefinition } from "./template/definition.ts";
import { slotCounts } from "./template/slots.ts";
import type { VariableMap, VarSpec } from "./variables.ts";
import { type Said, say, write, type Write } from "./wording.ts";

/** The reasons why a requested event cannot be run, with what to do. */
const problemTexts = {
  site_deleted: say("Its site was deleted."),
  site_disabled: say("Its site refuses events. Enable the site, then try again."),
  event_gone: say("The event is no longer kept."),
  payload_gone: say("The event's data is no longer kept, so it cannot be run again. Post the event again."),
  payload_unreadable: say("The event's data cannot be read: it was damaged, or encrypted under a key that is gone. Post the event again."),
  dry_run: say("The event was a dry run. Post it live instead."),
  binding_gone: say("The binding is gone or disabled."),
  template_gone: say("The template is gone."),
  no_test_phone: say("The site has no test phone. Enter one, or say which phone gets the test."),
  expired: say("The message's time was over: the binding lets it expire."),
  too_late: say("No gateway took the test within ten minutes. Send it again."),
} as const satisfies Record<string, Said>;

export type RequestProblem = keyof typeof problemTexts;

export const sayProblem = (problem: RequestProblem): Said => problemTexts[problem];

export const describeProblem = (problem: RequestProblem, t?: Write): string => write(problemTexts[problem], t);

/** The most events that one backfill runs. */
export const mostBackfilled = 10_000;

/** The most characters of one sample value. */
export const longestSample = 1_024;

export type SampleValues = Partial<Record<keyof VariableMap, readonly string[]>>;

/** Fills each of a template's variables with the value given for it, else with its example. */
export function sampleMap(definition: TemplateDefinition, given: SampleValues = {}): VariableMap {
  const counts = slotCounts(definition);
  const { examples } = definition;
  const group = (count: number, values: readonly string[] | undefined, own: readonly string[]): Record<string, VarSpec> =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        String(index + 1),
        { source: "static", value: values?.[index] || own[index] || `Sample ${index + 1}` },
      ]),
    );
  return {
    header: group(counts.header, given.header, examples.header),
    body: group(counts.body, given.body, examples.body),
    button_url: group(counts.buttonUrl, given.button_url, examples.buttonUrl),
  };
}
