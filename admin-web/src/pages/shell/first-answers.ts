import { getUntypedClient, TRPCClientError } from "@trpc/client";
import { inReadersLanguage, queryClient, trpcClient } from "../../trpc.ts";

/** A part of a batch's answer. */
type Answer = { result: { data: unknown } } | { error: Parameters<typeof TRPCClientError.from>[0] & object };

/**
 * Takes the answers to queries that the browser sent while the scripts were loading, by a link that the build wrote into the page: a component with the
 * same query finds its answer there, or under way. A query without an answer is sent again.
 */
export function takeFirstAnswers(): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="preload"][href^="/trpc/"]');
  if (link === null) return;
  const { href, pathname, searchParams } = new URL(link.href);
  link.remove();
  const answers = fetch(href).then((response) => response.json() as Promise<Answer[]>);
  const inputs = JSON.parse(searchParams.get("input") ?? "{}") as Record<number, unknown>;
  for (const [index, path] of pathname.slice("/trpc/".length).split(",").entries()) {
    const input = inputs[index];
    let isFirst = true;
    void queryClient.prefetchQuery({
      queryKey: [path.split("."), { ...(input !== undefined && { input }), type: "query" }],
      queryFn: async ({ signal }) => {
        if (!isFirst) return getUntypedClient(trpcClient).query(path, input, { signal });
        isFirst = false;
        const answer = (await answers)[index];
        if (answer === undefined || "error" in answer) throw await inReadersLanguage(TRPCClientError.from(answer ?? { error: {} }));
        return answer.result.data;
      },
    });
  }
}
