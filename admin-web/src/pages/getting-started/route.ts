import { searchOneOf } from "../../ui/search-params.ts";

export const stepNames = ["platform", "site", "template", "binding", "event", "connect", "messages", "order"] as const;
export type StepName = (typeof stepNames)[number];

const codeSteps: readonly StepName[] = ["platform", "site", "template", "binding", "event"];
const shopSteps: readonly StepName[] = ["platform", "site", "connect", "messages", "order"];

/** The steps in their order: a shop that posts by itself takes no code. */
export const stepsOf = (isShop: boolean): readonly StepName[] => (isShop ? shopSteps : codeSteps);

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
  connect: "Connect your shop",
  messages: "Choose your messages",
  order: "Place a test order",
};
