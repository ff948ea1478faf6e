import { searchOneOf } from "../../ui/search-params.ts";

/** The steps in their order. */
export const stepNames = ["platform", "site", "template", "binding", "event"] as const;
export type StepName = (typeof stepNames)[number];

export interface GettingStartedSearch {
  /** The step that somebody opened; absent for the first that is not done. */
  step?: StepName | undefined;
}

export const readGettingStartedSearch = ({ step }: Record<string, unknown>): GettingStartedSearch => ({
  step: searchOneOf(stepNames, step),
});

export const stepTitles: Record<StepName, string> = {
  platform: "Connect the platform",
  site: "Make your first site",
  template: "Get a template approved",
  binding: "Bind an event to the template",
  event: "Post a first event",
};
