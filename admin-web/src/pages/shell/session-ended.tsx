import { Group, Stack, Text, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { t, translated } from "../../language.ts";
import { paths } from "../../paths.ts";
import { isSamePerson, mayGoOn, type Me, useSession } from "../../session.tsx";
import { cache, findUnsaved, queryClient } from "../../trpc.ts";
import { ButtonLink, CopyButton, SecondaryButton } from "../../ui/base/buttons.tsx";
import { Dialog } from "../../ui/base/dialogs.tsx";

const lookEveryMs = 2_000;
const now = { staleTime: 0 };

/** Who is signed in; null if nobody is. */
const readPresent = async () =>
  (await cache.auth.state.fetch(undefined, now)).signedIn ? await cache.auth.me.fetch(undefined, now) : null;

const startAnew = () => window.location.reload();

const texts = ":is(textarea, input:not([type=checkbox], [type=radio], [type=password], [type=hidden], [type=file]))";

/** The fields of the page's forms, each with its label. */
const readFields = (): string =>
  [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(`form ${texts}`)]
    .filter(({ value }) => value !== "")
    .map(({ labels, ariaLabel, value }) => `${(labels?.[0]?.textContent ?? ariaLabel ?? "").replace(/ \*$/u, "")}: ${value}`)
    .join("\n");

/** Over a page with what is typed and not saved: its author signs in beside it, and goes on here, or copies it if the role is too low now. What somebody else sees begins anew. */
export function SessionEnded({ author, onBack }: { author: Me; onBack: (author: Me) => void }) {
  const { data: present = null } = useQuery({ queryKey: ["present"], queryFn: readPresent, refetchInterval: lookEveryMs, gcTime: 0 });
  const { me } = useSession();
  useEffect(() => {
    if (present === null) return;
    if (!mayGoOn(present, author)) {
      if (findUnsaved() === undefined) startAnew();
    } else if (me !== undefined && mayGoOn(me, author)) {
      // One answer may be older than the other: a page that went back by the older one would leave again by the newer, without end.
      onBack(me);
      void queryClient.invalidateQueries();
    }
  }, [present, me, author, onBack]);
  const [typed] = useState(readFields);
  if (present !== null && mayGoOn(present, author)) return null;
  const isDemoted = present !== null && isSamePerson(present, author);
  const isElsewhere = present?.user.id === author.user.id;
  const title = isDemoted ? t("Your role has changed") : isElsewhere ? t("Another account is open") : t("Your session has ended");
  return (
    <Dialog title={title} opened onClose={() => undefined} insists>
      <Stack>
        <Text>{whatHappened(author, present)}</Text>
        {isDemoted && <Textarea label={t("What you typed")} readOnly minRows={8} value={typed} />}
        <Group justify="flex-end">
          {present !== null && <SecondaryButton onClick={startAnew}>{t("Leave")}</SecondaryButton>}
          {isDemoted ? (
            <CopyButton text={typed} />
          ) : (
            <ButtonLink to={isElsewhere ? paths.home : paths.signIn} target="_blank" data-autofocus>
              {isElsewhere ? t("Open {name}", { name: present.account.name }) : t("Sign in")}
            </ButtonLink>
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}

/** Who is there instead of the author, and how the author goes on. */
function whatHappened(author: Me, present: Me | null): string {
  if (present === null) return t("What you typed is still here. Sign in in another tab, then go on in this one.");
  if (isSamePerson(present, author))
    return t(
      "Your role is {role} now, and it may not save what you typed here. Copy what you need, or ask an owner for the role {needed}.",
      {
        role: translated(present.user.role),
        needed: translated(author.user.role),
      },
    );
  const { name } = present.account;
  if (present.user.id === author.user.id)
    return t("You work in {name} now. To go on with what you typed here, switch back to {account} in another tab.", {
      name,
      account: author.account.name,
    });
  return t("{name} is signed in now. To go on with what {author} typed here, sign in as {author} in another tab.", {
    name: present.user.email,
    author: author.user.email,
  });
}
