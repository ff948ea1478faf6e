import { trpc } from "../trpc.ts";
import type { Me } from "./me.ts";

interface Session {
  /** Undefined while it is asked, or where nobody is signed in. */
  me: Me | undefined;
  isNobody: boolean;
  /** Why neither is known. */
  error: { message: string } | null;
  retry: () => void;
}

const freshMs = 60_000;

/** Who is signed in. The person is asked for only where there is one: browsers log every refusal, and a visit without a session is none. */
export function useSession(): Session {
  const state = trpc.auth.state.useQuery(undefined, { staleTime: freshMs });
  const me = trpc.auth.me.useQuery(undefined, { staleTime: freshMs, enabled: state.data?.signedIn === true });
  // The session may end between the two answers.
  const isNobody = state.data?.signedIn === false || me.error?.data?.code === "UNAUTHORIZED";
  return {
    me: isNobody ? undefined : me.data,
    isNobody,
    error: me.error ?? state.error,
    retry: () => void (state.data === undefined ? state.refetch() : me.refetch()),
  };
}
