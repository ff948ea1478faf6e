import { getUntypedClient } from "@trpc/client";
import { queryClient, trpcClient } from "../../trpc.ts";

/**
 * Asks what the browser has asked while the scripts were loading, by a link that the build wrote into the page: as it is asked together, it is one request,
 * and the same, so that the browser has its answer, as long as the link stays. A component with such a query finds it there, or under way.
 */
export function takeFirstAnswers(): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="preload"][href^="/trpc/"]');
  if (link === null) return;
  const { pathname, searchParams } = new URL(link.href);
  const inputs = JSON.parse(searchParams.get("input") ?? "{}") as Record<number, unknown>;
  for (const [index, path] of pathname.slice("/trpc/".length).split(",").entries()) {
    const input = inputs[index];
    void queryClient.prefetchQuery({
      queryKey: [path.split("."), { ...(input !== undefined && { input }), type: "query" }],
      queryFn: () => getUntypedClient(trpcClient).query(path, input),
    });
  }
}
