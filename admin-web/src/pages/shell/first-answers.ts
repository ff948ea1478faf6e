import { TRPCClientError } from "@trpc/client";
import { noteHeaders, queryClient } from "../../trpc.ts";

/**
 * Takes what the browser has asked while the scripts were loading, by links that the build wrote into the page: the same address is not asked again as long as
 * its link stays. A component with such a query finds its answer there, or under way, and asks anew where it failed.
 */
export function takeFirstAnswers(): void {
  for (const { href } of document.querySelectorAll<HTMLLinkElement>('link[rel="preload"][href^="/trpc/"]')) {
    const { pathname, searchParams } = new URL(href);
    const inputs = JSON.parse(searchParams.get("input") ?? "{}") as Record<number, unknown>;
    const answers = fetch(href).then(async (answer) => (await noteHeaders(answer).json()) as Answer | Answer[]);
    for (const [index, path] of pathname.slice("/trpc/".length).split(",").entries()) {
      const input = inputs[index];
      void queryClient.prefetchQuery({
        queryKey: [path.split("."), { ...(input !== undefined && { input }), type: "query" }],
        queryFn: async () => {
          const answer = [await answers].flat().at(index);
          if (answer === undefined || "error" in answer) throw TRPCClientError.from(answer ?? new Error(path));
          return answer.result.data;
        },
      });
    }
  }
}

type Answer = { result: { data: unknown } } | (Exclude<Parameters<(typeof TRPCClientError)["from"]>[0], Error> & { error: object });
