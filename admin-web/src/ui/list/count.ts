import { keepPreviousData, type QueryFunctionContext, useQuery } from "@tanstack/react-query";
import { getUntypedClient } from "@trpc/client";
import { trpcClient } from "../../trpc.ts";
import type { ListOf } from "./live-list.tsx";

/** A number of rows; `more`: there may be others. */
export type Counted = { total: number; more: boolean };

const countAgainMs = 10_000;

/** How numbers are asked for that stand where others stood. */
export const counting = { placeholderData: keepPreviousData, refetchInterval: countAgainMs } as const;

/** `next`: by which the rest is counted; a server of an earlier version has none. `parts`: in how many calls. */
type CountedPart = Counted & { next?: string | null; listed?: Counted; parts?: number };

/** The most rows of a list that are counted, and how long a count goes on. */
const [mostCounted, mostCountedMs] = [10_000, 4_000];

function sumOf<Part extends CountedPart>(one: Part, rest: Part): Part {
  const total = one.total + rest.total;
  const listed = one.listed && rest.listed && { listed: sumOf(one.listed, rest.listed) };
  return { ...rest, ...listed, total: Math.min(total, mostCounted), more: rest.more || total > mostCounted };
}

type CountName = "notifications.count" | "notifications.scheduledCount" | "events.count" | "webhookDeliveries.count" | "audit.count";

type PartOf<Name> = ListOf<Name>["answer"] & CountedPart;

/** Counts the rows of a list: the server counts as far as the time of one call allows, and is asked to go on. `isShown`: also before it ends. */
export function countOf<Name extends CountName>(name: Name, input: ListOf<Name>["input"], isShown = false) {
  type Part = PartOf<Name>;
  const queryKey = [name.split("."), { input, type: "query" }];
  return {
    queryKey,
    queryFn: ({ signal, client }: QueryFunctionContext): Promise<Part> => {
      const [isNew, until] = [isShown && client.getQueryData(queryKey) === undefined, Date.now() + mostCountedMs];
      const goOn = async (before?: Part, parts = 1): Promise<Part> => {
        const asked = { ...(input as object), ...(before && { cursor: before.next }) };
        const part = (await getUntypedClient(trpcClient).query(name, asked, { signal })) as Part;
        const sum = { ...(before === undefined ? part : sumOf(before, part)), parts };
        if (sum.next == null || sum.total >= mostCounted || Date.now() > until) return sum;
        if (isNew) client.setQueryData(queryKey, sum);
        return goOn(sum, parts + 1);
      };
      return goOn();
    },
  };
}

/** How many rows a list has. A long count is repeated less often. */
export const useCount = <Name extends CountName>(name: Name, input: ListOf<Name>["input"], { enabled = true } = {}) =>
  useQuery<PartOf<Name>>({
    ...countOf(name, input, true),
    enabled,
    refetchInterval: ({ state }) => countAgainMs * (state.data?.parts ?? 1),
  });
