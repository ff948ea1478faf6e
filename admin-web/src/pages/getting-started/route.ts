import { searchOneOf } from "../../ui/search-params.ts";

/** The steps in their order. */
export const stepNames = ["platform", "site", "template", "binding", "event"] as const;
export type StepName = (typeof stepNames)[number];

export interface GettingStartedSearch {
  /** The opened step; undefined for the first that is not done. */
  step?: StepName | undefined;
}

export const readGettingStartedSearch = ({ step }: Record<string, unknown>): GettingStartedSearch => ({
  step: searchOneOf(stepNames, step),
});

export const stepTitles: Record<StepName, string> = {
  platform: "Connect WhatsApp",
  site: "Add your first site",
  template: "Get a template approved",
  binding: "Create a binding",
  event: "Post a first event",
};
