import { Menu } from "@mantine/core";
import { paths } from "../../paths.ts";
import { useMe } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { FailureNotice } from "../../ui/page-states.tsx";

/** Tells the other tabs. Listens from the start: the menu that holds the choice is not shown. */
const channel = new BroadcastChannel("tidings-account");
channel.addEventListener("message", () => startAnew());

/** Lets somebody with several accounts work in another one. Every tab starts anew then, so that none shows one account's data under another's name. */
export function AccountChoice() {
  const { account, accounts } = useMe();
  const choice = trpc.auth.switchAccount.useMutation({
    onSuccess: () => {
      channel.postMessage(null);
      startAnew();
    },
  });
  return (
    <>
      {choice.error !== null && <FailureNotice title="The account was not switched" error={choice.error} />}
      <Menu.RadioGroup value={account.id} onChange={(accountId) => choice.mutate({ accountId })}>
        {accounts.map(({ id, name, role }) => (
          <Menu.RadioItem key={id} value={id} disabled={choice.isPending}>
            {name}, {role}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
      <Menu.Divider />
    </>
  );
}

/** A page load keeps no answer and no live view of the account that was left. */
const startAnew = () => window.location.assign(paths.home);
