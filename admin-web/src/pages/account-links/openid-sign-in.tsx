import { Alert, Button } from "@mantine/core";
import { useState } from "react";

/** Leads to the company's own sign-in, and says why it let nobody in. `name`: as the company calls it. */
export function OpenIdSignIn({ name }: { name: string }) {
  const [refused] = useState(() => new URLSearchParams(window.location.search).get("refused"));
  return (
    <>
      {refused !== null && (
        <Alert color="red" title={`${name} did not let you in`} role="alert">
          {reasons[refused] ?? "The answer could not be verified. Try again; the server's log says more."}
        </Alert>
      )}
      <Button component="a" href="/auth/oidc" variant="default">
        Sign in with {name}
      </Button>
    </>
  );
}

const reasons: Record<string, string> = {
  cancelled: "The sign-in was cancelled. Try again, or use your password.",
  unavailable: "It does not answer at the moment. Try again in a minute.",
  expired: "The sign-in took more than 10 minutes, was used already, or began in another browser. Try again.",
  unverified: "Your e-mail address is not verified there. Ask whoever manages your company's sign-in.",
  unknown: "Nobody with your e-mail address is in an account here. Ask an owner to invite you.",
  otherPerson: "Somebody else is signed in there. Sign in there as yourself, and confirm again.",
};
