import { skipToken, useQuery, useQueryClient } from "@tanstack/react-query";
import type { MadeSite } from "../sites/create/create-site-form.tsx";

interface HeldSite {
  made: MadeSite;
  /** Whether the person has said so. */
  isSaved: boolean;
}

const key = ["first-day", "made-site"];

/**
 * The site that was made here, with its secrets, for as long as the page lives: in memory alone, where signing out clears it with everything else, and so that
 * a look at another page does not lose it.
 */
export function useMadeSite() {
  const cache = useQueryClient();
  const { data } = useQuery<HeldSite>({ queryKey: key, queryFn: skipToken, staleTime: Infinity, gcTime: Infinity });
  const hold = (held: HeldSite) => void cache.setQueryData<HeldSite>(key, held);
  return {
    made: data?.made,
    isUnsaved: data !== undefined && !data.isSaved,
    keep: (made: MadeSite) => hold({ made, isSaved: false }),
    markSaved: () => data !== undefined && hold({ ...data, isSaved: true }),
  };
}
