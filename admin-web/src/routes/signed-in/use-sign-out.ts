import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { trpc } from "../../trpc.ts";

interface SignOut {
  signOut: () => void;
  isPending: boolean;
  error: { message: string } | null;
}

/** Ends the session. First off the page, then nothing of it is kept. */
export function useSignOut(): SignOut {
  const navigate = useNavigate();
  const cache = useQueryClient();
  const { mutate, isPending, error } = trpc.auth.logout.useMutation({
    onSuccess: async () => {
      await navigate({ to: paths.signIn });
      cache.clear();
    },
  });
  return { signOut: () => mutate(), isPending, error };
}
