import { trpc } from "../../trpc.ts";
import { Loading } from "../../ui/states/loading.tsx";
import { NotFound } from "../../ui/states/not-found.tsx";
import { Shell } from "./shell.tsx";

/** An address that leads nowhere: in the frame of the dashboard for whoever is signed in. */
export function UnknownPage() {
  const me = trpc.auth.me.useQuery(undefined, { staleTime: 60_000 });
  if (me.isPending) return <Loading what="the page" />;
  if (me.data === undefined)
    return (
      <main>
        <NotFound />
      </main>
    );
  return (
    <Shell me={me.data}>
      <NotFound />
    </Shell>
  );
}
