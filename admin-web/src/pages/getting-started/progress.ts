import { skipToken, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { exampleTemplate } from "shared/core/example";
import { paths } from "../../paths.ts";
import { trpc, type Outputs } from "../../trpc.ts";
import type { MadeSite } from "../sites/create-site.tsx";
import { type StepName, stepNames } from "./route.ts";

/** Milliseconds between two looks at a template that is in review. */
const reviewPollMs = 1500;

interface FactsQuery {
  facts: Facts | undefined;
  error: { message: string } | null;
  retry: () => void;
}

/** How far the account is, by what the server says. What was read stays when the next look fails. */
export function useFacts(): FactsQuery {
  const settings = trpc.settings.get.useQuery();
  const sites = trpc.sites.list.useQuery({ limit: 200 });
  const named = trpc.templates.list.useQuery(
    { search: exampleTemplate.name },
    { refetchInterval: ({ state }) => state.data?.items.some(({ status }) => status === "pending") === true && reviewPollMs },
  );
  // One more than the sample that every account of the platform has.
  const approved = trpc.templates.list.useQuery({ status: "approved", limit: 2 });
  const bindings = trpc.bindings.list.useQuery({ limit: 200 });
  const events = trpc.events.list.useQuery({ dryRun: false, limit: 1 });
  const all = [settings, sites, named, approved, bindings, events];
  return {
    facts: settings.data &&
      sites.data &&
      named.data &&
      approved.data &&
      bindings.data &&
      events.data && {
        settings: settings.data,
        ...chooseSite(sites.data.items, bindings.data.items),
        ...chooseTemplates(named.data.items, approved.data.items),
        event: events.data.items[0],
      },
    error: all.find(({ error }) => error !== null)?.error ?? null,
    retry: () => all.forEach((query) => void (query.error !== null && query.refetch())),
  };
}

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

interface HeldSite {
  made: MadeSite;
  /** Whether the person has said so. */
  isSaved: boolean;
}

const key = ["getting-started", "made-site"];

/**
 * The site that was made here, with its secrets, for as long as the page lives: in memory alone, where signing out clears it with everything else, and so that
 * a look at another page does not lose it.
 */
export function useMadeSite() {
  const cache = useQueryClient();
  const { data } = useQuery<HeldSite>({ queryKey: key, queryFn: skipToken, staleTime: Infinity, gcTime: Infinity });
  const hold = (held: HeldSite) => void cache.setQueryData<HeldSite>(key, held);
  return {
    made: data?.made,
    isUnsaved: data !== undefined && !data.isSaved,
    keep: (made: MadeSite) => hold({ made, isSaved: false }),
    markSaved: () => data !== undefined && hold({ ...data, isSaved: true }),
  };
}

/** The id of the button that opens a step. */
export const stepButtonId = (name: StepName): string => `step-${name}`;

interface OpenStep {
  open: StepName;
  show: (name: StepName) => void;
}

/**
 * Which step stands open: the one that somebody chose, which the address keeps, else `next`, the first that is not done. When that changes the flow goes on to
 * it, and takes the focus along.
 */
export function useOpenStep(next: StepName | undefined, isHeld: boolean): OpenStep {
  const { step } = useSearch({ from: `/signed-in${paths.gettingStarted}` });
  const navigate = useNavigate();
  const goTo = (name?: StepName) => void navigate({ to: paths.gettingStarted, search: { step: name }, replace: true });
  const open = (isHeld ? next : (step ?? next)) ?? "event";
  useOnChange(next, () => goTo());
  useOnChange(open, () => takeFocus(open));
  return { open, show: (name) => goTo(name === next ? undefined : name) };
}

function useOnChange(value: unknown, act: () => void): void {
  const before = useRef(value);
  useEffect(() => {
    if (before.current === value) return;
    before.current = value;
    act();
  });
}

/** Not from somebody who is busy elsewhere: only where the step that is closed had the focus, and lost it with what was in it. */
function takeFocus(name: StepName): void {
  const button = document.getElementById(stepButtonId(name));
  const { activeElement } = document;
  const isWithin = button?.closest("ol")?.contains(activeElement) === true;
  if (isWithin || activeElement === document.body) button?.focus();
}
