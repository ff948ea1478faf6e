import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMay } from "../../session/me.ts";
import { RoleOnly } from "../../session/role-only.tsx";
import { Page } from "../../ui/page/page.tsx";
import { CreateToken } from "./create-token.tsx";
import { TokenList } from "./token-list.tsx";

export function TokensPage() {
  const isOwner = useMay("owner");
  const [isMaking, dialog] = useDisclosure(false);
  return (
    <RoleOnly needed="operator">
      <Page
        title="Access tokens"
        lead={`With a token a program of yours calls the admin API as you, with the token's role at most. ${isOwner ? "You see everybody's." : "You see your own."}`}
        actions={<Button onClick={dialog.open}>Make a token</Button>}
      >
        <TokenList isOwner={isOwner} onMake={dialog.open} />
        <CreateToken opened={isMaking} onClose={dialog.close} />
      </Page>
    </RoleOnly>
  );
}
