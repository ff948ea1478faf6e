import { useSession } from "../../session/use-session.ts";
import { Loading } from "../../ui/states/loading.tsx";
import { NotFound } from "../../ui/states/not-found.tsx";
import { Shell } from "./shell.tsx";

/** An address that leads nowhere: in the frame of the dashboard for whoever is signed in. */
export function UnknownPage() {
  const { me, isNobody, error } = useSession();
  if (me === undefined && !isNobody && error === null) return <Loading what="the page" />;
  if (me === undefined)
    return (
      <main>
        <NotFound />
      </main>
    );
  return (
    <Shell me={me}>
      <NotFound />
    </Shell>
  );
}
