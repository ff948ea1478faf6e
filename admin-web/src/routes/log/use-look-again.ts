import { trpc } from "../../trpc.ts";

/** Has the log look for what is new at once. The pages that are loaded stay: what is new is put on top of them. */
export function useLookAgain(): () => void {
  const { list } = trpc.useUtils().notifications;
  return () =>
    void list.invalidate(undefined, { predicate: ({ queryKey }) => (queryKey[1] as { type?: string } | undefined)?.type === "query" });
}
