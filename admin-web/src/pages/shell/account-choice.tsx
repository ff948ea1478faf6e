import { Button, Menu, Stack, Text } from "@mantine/core";
import { t, translated } from "../../language.ts";
import { paths } from "../../paths.ts";
import { type Me, useMe } from "../../session.tsx";
import { cache, findUnsaved, trpc } from "../../trpc.ts";
import { SecondaryButton } from "../../ui/base/buttons.tsx";
import { running } from "../../ui/base/fields.ts";
import { CardPage, FailureNotice } from "../../ui/base/page.tsx";
import { useSignOut } from "./navigation.ts";

/** Tells the other tabs. Listens from the start: the menu that holds the choice is not shown. What is typed and not saved stays until its author is back. */
const channel = new BroadcastChannel("tidings-account");
channel.addEventListener("message", () => (findUnsaved() === undefined ? startAnew() : void cache.auth.me.invalidate()));

/** Lets a person with several accounts work in another one. Every tab starts anew then, so that none shows one account's data under another's name. */
export function AccountChoice() {
  const { account, accounts } = useMe();
  const choice = useAccountSwitch();
  return (
    <>
      {choice.error !== null && <FailureNotice title={t("The account was not switched")} error={choice.error} />}
      <Menu.RadioGroup value={account.id} onChange={(accountId) => choice.mutate({ accountId })}>
        {accounts.map(({ id, name, role }) => (
          <Menu.RadioItem key={id} value={id} disabled={choice.isPending}>
            <bdi>{name}</bdi>, {translated(role)}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
      <Menu.Divider />
    </>
  );
}

/** Shown instead of the dashboard to people at an address from which the account lets nobody in. */
export function ElsewherePage({ me: { account, accounts, refusedAddress } }: { me: Me }) {
  const { signOut, isPending, error } = useSignOut();
  const choice = useAccountSwitch();
  const others = accounts.filter(({ id }) => id !== account.id);
  return (
    <CardPage
      title={t("Your address is not allowed")}
      lead={t("{name} does not allow access from your address, {refusedAddress}.", { name: account.name, refusedAddress })}
    >
      {error !== null && <FailureNotice title={t("You are still signed in")} error={error} onRetry={signOut} />}
      {choice.error !== null && <FailureNotice title={t("The account was not switched")} error={choice.error} />}
      <Text>{t("Use a network that the account allows, such as the office or its VPN, or ask an owner to allow this address.")}</Text>
      <Stack gap="sm">
        <Button onClick={() => void cache.auth.me.invalidate()}>{t("Try again")}</Button>
        {others.map(({ id, name }) => (
          <SecondaryButton key={id} {...running(choice, { accountId: id })}>
            {t("Open {name}", { name })}
          </SecondaryButton>
        ))}
        <Button variant="subtle" loading={isPending} onClick={signOut}>
          {t("Sign out")}
        </Button>
      </Stack>
    </CardPage>
  );
}

const useAccountSwitch = () =>
  trpc.auth.switchAccount.useMutation({
    onSuccess: () => {
      channel.postMessage(null);
      startAnew();
    },
  });

/** A page load keeps no answer and no live view of the account that was left. */
const startAnew = () => window.location.assign(paths.home);
