import { keepPreviousData } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { exampleTemplate } from "shared/core/example";
import { statusFacts } from "shared/core/message";
import { paths } from "../../paths.ts";
import { trpc, type Outputs } from "../../trpc.ts";
import { type StepName, stepsOf } from "./route.ts";

const pollMs = 1500;

/** The facts that decide which steps are done. They stay when a refetch fails. */
export function useFacts() {
  const settings = trpc.settings.get.useQuery();
  const sites = trpc.sites.list.useQuery(
    { limit: 200 },
    { refetchInterval: ({ state }) => state.data?.items.some(isAwaited) === true && pollMs },
  );
  const named = trpc.templates.list.useQuery(
    { search: exampleTemplate.name },
    { refetchInterval: ({ state }) => state.data?.items.some(({ status }) => status === "pending") === true && pollMs },
  );
  // Two, as one may be the sample that every WhatsApp account has.
  const approved = trpc.templates.list.useQuery({ status: "approved", limit: 2 });
  const bindings = trpc.bindings.list.useQuery(
    { limit: 200 },
    { refetchInterval: ({ state }) => state.data?.items.some(({ templateStatus }) => templateStatus === "pending") === true && pollMs },
  );
  const chosen = chooseSite(sites.data?.items ?? [], bindings.data?.items ?? []);
  const shop = isShop(chosen.site) ? chosen.site : undefined;
  // These queries wait until the site is known, and the page keeps the former answers while another site is loaded.
  const ofShop = { enabled: sites.data !== undefined && bindings.data !== undefined, placeholderData: keepPreviousData } as const;
  const events = trpc.events.list.useQuery({ siteId: shop?.id, dryRun: false, test: false, limit: 1 }, ofShop);
  // Of a proof that something is sent, the newest event is none if its conditions did not hold.
  const proof = trpc.events.list.useQuery({ siteId: shop?.id, dryRun: false, test: false, outcome: "sent", limit: 1 }, ofShop);
  const sent = trpc.notifications.list.useQuery(
    { siteId: shop?.id, test: false, limit: 10 },
    {
      ...ofShop,
      refetchInterval: ({ state }) =>
        shop !== undefined && events.data?.items.length !== 0 && state.data?.items.some(hasLeft) !== true && pollMs,
    },
  );
  const all = [settings, sites, named, approved, bindings, events, proof, sent];
  return {
    facts: (settings.data &&
      sites.data &&
      named.data &&
      approved.data &&
      bindings.data &&
      events.data &&
      sent.data && {
        settings: settings.data,
        ...chosen,
        ...chooseTemplates(named.data.items, approved.data.items),
        event: events.isPlaceholderData ? undefined : (proof.data?.items[0] ?? events.data.items[0]),
        isSeen: !sent.isPlaceholderData && sent.data.items.some(hasLeft),
      }) as Facts | undefined,
    error: all.find(({ error }) => error !== null)?.error ?? null,
    retry: () => all.forEach((query) => void (query.error !== null && query.refetch())),
  };
}

/** Whether the platform has accepted the message. */
const hasLeft = ({ status }: Outputs["notifications"]["list"]["items"][number]): boolean => statusFacts[status].phase === "accepted";

/** Whether the site's shop posts by itself. */
export const isShop = (site: Pick<Site, "sourceType"> | undefined): boolean => site !== undefined && site.sourceType !== "generic";

const isAwaited = (site: Site): boolean => isShop(site) && site.enabled && site.connectedAt === null;

type Template = Outputs["templates"]["list"]["items"][number];
type Site = Outputs["sites"]["list"]["items"][number];
type Binding = Outputs["bindings"]["list"]["items"][number];

export interface Facts {
  settings: Outputs["settings"]["get"];
  /** An enabled site, if there is any. */
  site: Site | undefined;
  /** The example template, in any status. */
  example: Template | undefined;
  /** The example if it is approved, else another template; never the platform's sample. */
  approved: Template | undefined;
  /** A binding of `site`: for a shop, first one that waits for its template's approval; else one that can send, else any. */
  binding: Binding | undefined;
  /** The last event that sent something, else the last one, without dry runs; for a shop's site only its own. */
  event: Outputs["events"]["list"]["items"][number] | undefined;
  /** Whether a message of the shop's site has left. */
  isSeen: boolean;
}

/** The sample that every WhatsApp account has from the start. */
const platformSample = "hello_world";

const isExample = ({ name, language }: Template): boolean => name === exampleTemplate.name && language === exampleTemplate.language;

export function chooseTemplates(named: readonly Template[], approved: readonly Template[]): Pick<Facts, "example" | "approved"> {
  const example = named.find(isExample);
  const isReady = example?.status === "approved";
  return { example, approved: isReady ? example : approved.find(({ name }) => name !== platformSample) };
}

/** The newest enabled site with a binding, else the newest enabled one, else the newest. Both lists are newest first. */
export function chooseSite(sites: readonly Site[], bindings: readonly Binding[]): Pick<Facts, "site" | "binding"> {
  const enabled = sites.filter((site) => site.enabled);
  const bindingOf = (site: Site | undefined) => {
    const own = bindings.filter(({ siteId }) => siteId === site?.id);
    const having = (status: Binding["templateStatus"]) => own.find(({ templateStatus }) => templateStatus === status);
    return (isShop(site) ? having("pending") : undefined) ?? having("approved") ?? own[0];
  };
  const site = enabled.find(bindingOf) ?? enabled[0] ?? sites[0];
  return { site, binding: bindingOf(site) };
}

export const stepsDone = ({ settings, site, approved, binding, event, isSeen }: Facts): Record<StepName, boolean> => ({
  platform: settings.platform.configured,
  site: site?.enabled === true,
  template: approved !== undefined,
  binding: binding !== undefined,
  event: event !== undefined,
  // A program of one's own may post for the shop.
  connect: isShop(site) && (site?.connectedAt !== null || event !== undefined),
  messages: binding?.templateStatus === "approved",
  order: isSeen,
});

/** Undefined once all steps are done. */
export const nextStep = (done: Record<StepName, boolean>, steps: readonly StepName[] = stepsOf(false)): StepName | undefined =>
  steps.find((name) => !done[name]);

export const stepButtonId = (name: StepName): string => `step-${name}`;

/** The open step: the chosen one of the address, else `next`. When `next` changes, that step opens and takes the focus. `isHeld`: only `next` may be open. */
export function useOpenStep(steps: readonly StepName[], next: StepName | undefined, isHeld: boolean) {
  const { step: asked } = useSearch({ from: `/signed-in${paths.gettingStarted}` });
  const step = steps.find((name) => name === asked);
  const navigate = useNavigate();
  const goTo = (name?: StepName) => void navigate({ to: paths.gettingStarted, search: { step: name }, replace: true });
  const open = (isHeld ? next : (step ?? next)) ?? steps.at(-1) ?? "event";
  useOnChange(next, () => goTo());
  useOnChange(open, () => takeFocus(open));
  return { open, show: (name: StepName) => goTo(name === next ? undefined : name) };
}

function useOnChange(value: unknown, act: () => void): void {
  const before = useRef(value);
  useEffect(() => {
    if (before.current === value) return;
    before.current = value;
    act();
  });
}

/** Only if the closed step had the focus, so that nobody is interrupted elsewhere. */
function takeFocus(name: StepName): void {
  const button = document.getElementById(stepButtonId(name));
  const { activeElement } = document;
  const isWithin = button?.closest("ol")?.contains(activeElement) === true;
  if (isWithin || activeElement === document.body) button?.focus();
}
