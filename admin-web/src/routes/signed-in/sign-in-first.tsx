import { useNavigate, useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { paths } from "../../paths.ts";
import { readSignInSearch } from "../../session/next-path.ts";
import { Loading } from "../../ui/states/loading.tsx";

/** Leads to the sign-in page and from there back to what was asked for. */
export function SignInFirst() {
  const router = useRouter();
  const navigate = useNavigate();
  // Read once: on the way there the address is the sign-in page's own.
  const [asked] = useState(() => router.state.location.href);
  useEffect(() => {
    void navigate({ to: paths.signIn, search: readSignInSearch({ next: asked === paths.home ? undefined : asked }), replace: true });
  }, [navigate, asked]);
  return <Loading what="the sign-in page" />;
}
