import { Group, Stack, Text } from "@mantine/core";
import { useEffect } from "react";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { cache, trpc } from "../../trpc.ts";
import { ButtonLink } from "../../ui/buttons.tsx";
import { Dialog } from "../../ui/dialogs.tsx";

const lookEveryMs = 2_000;

/** Over a page with what is typed and not saved: its author signs in beside it, and goes on here. */
export function SessionEnded() {
  const { data } = trpc.auth.state.useQuery(undefined, { refetchInterval: lookEveryMs });
  const isBack = data?.signedIn === true;
  useEffect(() => {
    if (isBack) void cache.auth.me.invalidate();
  }, [isBack]);
  return (
    <Dialog title={t("Your session has ended")} opened onClose={() => undefined} insists>
      <Stack gap="md">
        <Text size="sm">{t("What you typed is still here. Sign in in another tab, then go on in this one.")}</Text>
        <Group justify="flex-end">
          <ButtonLink to={paths.signIn} target="_blank" data-autofocus>
            {t("Sign in")}
          </ButtonLink>
        </Group>
      </Stack>
    </Dialog>
  );
}
