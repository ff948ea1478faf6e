import { Alert } from "@mantine/core";
import { useState } from "react";
import { t } from "../../language.ts";
import { Moment } from "../base/facts.tsx";

const dayMs = 86_400_000;

/** Tells that passwords, sessions and tokens ended when the company first vouched for the address. `forDays`: not after that many days. */
export function CredentialsEnded({ at, forDays = Infinity }: { at: string | null; forDays?: number }) {
  const [now] = useState(Date.now);
  if (at === null || Date.parse(at) + forDays * dayMs < now) return null;
  return (
    <Alert color="yellow" title={t("Your earlier password and access tokens no longer work")}>
      {t("Until ")}
      <Moment at={at} />
      {t(
        " nobody had verified that your e-mail address is yours. Your first company sign-in did, and it ended everything created before: the password, authenticator app, passkeys, other sessions, access tokens and links. Create the access tokens that you need again.",
      )}
    </Alert>
  );
}
