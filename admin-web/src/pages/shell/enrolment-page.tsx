import { Button, Divider, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { t } from "../../language.ts";
import { cache } from "../../trpc.ts";
import { SecondaryButton } from "../../ui/base/buttons.tsx";
import { CardPage, FailureNotice } from "../../ui/base/page.tsx";
import { AppSetup, PasskeySetup } from "../../ui/person/second-factor-setup.tsx";
import { useSignOut } from "./navigation.ts";

/** Shown instead of the dashboard to people without the second factor that the account demands. */
export function EnrolmentPage({ onDone }: { onDone: () => void }) {
  const [way, setWay] = useState<"app" | "passkey" | null>(null);
  const { signOut, isPending, error } = useSignOut();
  const finish = async () => {
    await cache.invalidate();
    onDone();
  };
  const back = () => setWay(null);
  return (
    <CardPage
      title={t("Set up a second factor")}
      lead={t("Your account requires one in addition to the password. The dashboard opens once it is set up.")}
    >
      {error !== null && <FailureNotice title={t("You are still signed in")} error={error} onRetry={signOut} />}
      {way === "app" && <AppSetup onDone={finish} onCancel={back} />}
      {way === "passkey" && <PasskeySetup onDone={finish} onCancel={back} />}
      {way === null && (
        <Stack gap="sm">
          <Button onClick={() => setWay("app")}>{t("Use an authenticator app")}</Button>
          <SecondaryButton onClick={() => setWay("passkey")}>{t("Use a passkey")}</SecondaryButton>
          <Divider />
          <Text>{t("You can come back to this later: sign in again.")}</Text>
          <Button variant="subtle" loading={isPending} onClick={signOut}>
            {t("Sign out")}
          </Button>
        </Stack>
      )}
    </CardPage>
  );
}
