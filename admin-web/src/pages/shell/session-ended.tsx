import { Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { isSamePerson, type Me } from "../../session.tsx";
import { cache, findUnsaved, queryClient } from "../../trpc.ts";
import { ButtonLink } from "../../ui/buttons.tsx";
import { Dialog } from "../../ui/dialogs.tsx";

const lookEveryMs = 2_000;
const now = { staleTime: 0 };

/** Who is signed in; null if nobody is. */
const readPresent = async (): Promise<Me | null> =>
  (await cache.auth.state.fetch(undefined, now)).signedIn ? await cache.auth.me.fetch(undefined, now) : null;

const startAnew = () => window.location.reload();

/** Over a page with what is typed and not saved: its author signs in beside it, and goes on here. What somebody else sees begins anew. */
export function SessionEnded({ author, onBack }: { author: Me; onBack: () => void }) {
  const { data: present = null } = useQuery({ queryKey: ["present"], queryFn: readPresent, refetchInterval: lookEveryMs, gcTime: 0 });
  useEffect(() => {
    if (present === null) return;
    if (isSamePerson(present, author)) {
      onBack();
      void queryClient.invalidateQueries();
    } else if (findUnsaved() === undefined) startAnew();
  }, [present, author, onBack]);
  return (
    <Dialog title={t("Your session has ended")} opened onClose={() => undefined} insists>
      <Stack gap="md">
        <Text size="sm">
          {present === null
            ? t("What you typed is still here. Sign in in another tab, then go on in this one.")
            : t("{name} is signed in now. To go on with what {author} typed here, sign in as {author} in another tab.", {
                name: present.user.email,
                author: author.user.email,
              })}
        </Text>
        <Group justify="flex-end">
          {present !== null && (
            <Button variant="default" onClick={startAnew}>
              {t("Leave")}
            </Button>
          )}
          <ButtonLink to={paths.signIn} target="_blank" data-autofocus>
            {t("Sign in")}
          </ButtonLink>
        </Group>
      </Stack>
    </Dialog>
  );
}
