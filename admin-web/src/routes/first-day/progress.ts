import { exampleTemplate } from "shared/core/example";
import type { Outputs } from "../../trpc.ts";
import { type StepName, stepNames } from "./steps.ts";

type Template = Outputs["templates"]["list"]["items"][number];
type Site = Outputs["sites"]["list"]["items"][number];
type Binding = Outputs["bindings"]["list"]["items"][number];

/** What the server says of each step. */
export interface Facts {
  settings: Outputs["settings"]["get"];
  /** One that is enabled, should there be any. */
  site: Site | undefined;
  /** Our own example, whatever its status. */
  example: Template | undefined;
  /** What can be sent: the example first, never the platform's sample. */
  approved: Template | undefined;
  /** Of that site. */
  binding: Binding | undefined;
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

/** The newest site whose events are taken, rather one that has a binding; where all are disabled the newest. Both lists are newest first. */
export function chooseSite(sites: readonly Site[], bindings: readonly Binding[]): Pick<Facts, "site" | "binding"> {
  const enabled = sites.filter((site) => site.enabled);
  const bindingOf = (site: Site | undefined) => bindings.find(({ siteId }) => siteId === site?.id);
  const site = enabled.find(bindingOf) ?? enabled[0] ?? sites[0];
  return { site, binding: bindingOf(site) };
}

/** Which steps are done, by what there is on the server. */
export function stepsDone({ settings, site, approved, binding, event }: Facts): Record<StepName, boolean> {
  return {
    platform: settings.platform.configured,
    site: site?.enabled === true,
    template: approved !== undefined,
    binding: binding !== undefined,
    event: event !== undefined,
  };
}

/** The first step that is not done; undefined when all are. */
export const nextStep = (done: Record<StepName, boolean>): StepName | undefined => stepNames.find((name) => !done[name]);
