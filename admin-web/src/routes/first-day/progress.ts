import { exampleTemplate } from "shared/core/example/order-confirmation";
import type { Outputs } from "../../trpc.ts";
import { type StepName, stepNames } from "./steps.ts";

type Template = Outputs["templates"]["list"]["items"][number];

/** What the server says of each step. */
export interface Facts {
  settings: Outputs["settings"]["get"];
  /** The newest. */
  site: Outputs["sites"]["list"]["items"][number] | undefined;
  /** Our own example, whatever its status. */
  example: Template | undefined;
  /** What can be sent: the example first, never the platform's sample. */
  approved: Template | undefined;
  binding: Outputs["bindings"]["list"]["items"][number] | undefined;
  /** The last that was no dry run. */
  event: Outputs["events"]["list"]["items"][number] | undefined;
}

/** Every account of the platform begins with it, so it says nothing of how far somebody is. */
const platformSample = "hello_world";

const isExample = ({ name, language }: Template): boolean => name === exampleTemplate.name && language === exampleTemplate.language;

/** Of the templates named like the example and some of those that are approved. */
export function chooseTemplates(named: readonly Template[], approved: readonly Template[]): Pick<Facts, "example" | "approved"> {
  const example = named.find(isExample);
  const isReady = example?.status === "approved";
  return { example, approved: isReady ? example : approved.find(({ name }) => name !== platformSample) };
}

/** Which steps are done, by what there is on the server. */
export function stepsDone({ settings, site, approved, binding, event }: Facts): Record<StepName, boolean> {
  return {
    platform: settings.platform.configured,
    site: site !== undefined,
    template: approved !== undefined,
    binding: binding !== undefined,
    event: event !== undefined,
  };
}

/** The first step that is not done; undefined when all are. */
export const nextStep = (done: Record<StepName, boolean>): StepName | undefined => stepNames.find((name) => !done[name]);
