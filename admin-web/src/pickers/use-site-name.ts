import { trpc } from "../trpc.ts";

/** What a site is called, by its id. One that was deleted has no name any more. */
export function useSiteName(): (id: string) => string {
  const sites = trpc.sites.list.useQuery({ limit: 200 }, { staleTime: 60_000 });
  const names = new Map(sites.data?.items.map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? (sites.data === undefined ? "…" : `site ${id.slice(0, 8)}`);
}
