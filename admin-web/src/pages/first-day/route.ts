import { searchOneOf } from "../../ui/search-params.ts";

/** What the first day consists of, in its order. */
export const stepNames = ["platform", "site", "template", "binding", "event"] as const;
export type StepName = (typeof stepNames)[number];

export interface FirstDaySearch {
  /** The step that somebody opened; absent for the first that is not done. */
  step?: StepName | undefined;
}

export const readFirstDaySearch = ({ step }: Record<string, unknown>): FirstDaySearch => ({ step: searchOneOf(stepNames, step) });

export const stepTitles: Record<StepName, string> = {
  platform: "Connect the platform",
  site: "Make your first site",
  template: "Get a template approved",
  binding: "Bind an event to the template",
  event: "Post a first event",
};
