import { exampleTemplate } from "shared/core/example";
import { trpc } from "../../trpc.ts";
import { chooseSite, chooseTemplates, type Facts } from "./progress.ts";

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
