import { Alert } from "@mantine/core";
import { useSession } from "./use-session.ts";

/** Warns somebody who is signed in already that what they are about to do signs them in as somebody else. */
export function OtherSession() {
  const { me } = useSession();
  if (me === undefined) return null;
  return (
    <Alert color="yellow" title={`You are signed in as ${me.user.email}`}>
      Going on ends that in this browser. If this link is meant for somebody else, send it to them.
    </Alert>
  );
}
