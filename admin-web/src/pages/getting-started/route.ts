import { searchAmong, searchReader } from "../../ui/list/search-params.ts";

export const stepNames = ["platform", "site", "template", "binding", "event", "connect", "messages", "order"] as const;
export type StepName = (typeof stepNames)[number];

const codeSteps: readonly StepName[] = ["platform", "site", "template", "binding", "event"];
const shopSteps: readonly StepName[] = ["platform", "site", "connect", "messages", "order"];

/** The steps in their order: a shop that posts by itself takes no code. */
export const stepsOf = (isShop: boolean): readonly StepName[] => (isShop ? shopSteps : codeSteps);

/** `step`: the opened one; undefined for the first that is not done. */
export const readGettingStartedSearch = searchReader({ step: searchAmong(stepNames) });
