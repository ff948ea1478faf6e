import { Alert } from "@mantine/core";
import { useState } from "react";
import { Moment } from "./facts.tsx";

const dayMs = 86_400_000;

/** Tells that what was made before the company vouched for the address has ended. `forDays`: not after that many days. */
export function CredentialsEnded({ at, forDays = Infinity }: { at: string | null; forDays?: number }) {
  const [now] = useState(Date.now);
  if (at === null || Date.parse(at) + forDays * dayMs < now) return null;
  return (
    <Alert color="yellow" title="Your earlier password and access tokens have ended">
      Until <Moment at={at} /> nobody had proved that your e-mail address is yours. Your first company sign-in did, and ended what was made
      before: the password, authenticator app, passkeys, other sessions, access tokens and links. Make the access tokens that you need anew.
    </Alert>
  );
}
