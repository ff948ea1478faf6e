import { trpc } from "../../../trpc.ts";
import { type Concern, toConcerns } from "./concerns.ts";

const options = { refetchInterval: 60_000 };

/** Everything that has to be asked for to know what needs somebody; it travels as one request. */
export function useConcerns(): { concerns: Concern[]; error: { message: string } | null; retry: () => void } {
  const sites = trpc.stats.silentSites.useQuery(undefined, options);
  const rejected = trpc.templates.list.useQuery({ status: "rejected" }, options);
  const paused = trpc.templates.list.useQuery({ status: "paused" }, options);
  const disabled = trpc.templates.list.useQuery({ status: "disabled" }, options);
  const bindings = trpc.bindings.list.useQuery({ limit: 200 }, options);
  const all = [sites, rejected, paused, disabled, bindings];
  const templates = [disabled, paused, rejected].flatMap(({ data }) => data?.items ?? []);
  return {
    concerns: toConcerns({ sites: sites.data?.items ?? [], templates, bindings: bindings.data?.items ?? [] }),
    error: all.find(({ error }) => error !== null)?.error ?? null,
    retry: () => all.forEach((query) => query.isError && void query.refetch()),
  };
}
