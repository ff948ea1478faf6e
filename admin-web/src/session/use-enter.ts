import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { paths } from "../paths.ts";

/** What follows a sign-in: on to `next`, a path of ours, without anything of whoever was signed in before. */
export function useEnter(): (next?: string) => Promise<void> {
  const cache = useQueryClient();
  const router = useRouter();
  return async (next = paths.home) => {
    cache.clear();
    await router.navigate({ href: next, replace: true });
  };
}
