import { useMay } from "../../session/me.ts";
import { RoleOnly } from "../../session/role-only.tsx";
import { Page } from "../../ui/page/page.tsx";
import { CreateTokenButton } from "./create-token-button.tsx";
import { TokenList } from "./token-list.tsx";

export function TokensPage() {
  const isOwner = useMay("owner");
  return (
    <RoleOnly needed="operator">
      <Page
        title="Access tokens"
        lead={`With a token a program of yours calls the admin API as you, with the token's role at most. ${isOwner ? "You see everybody's." : "You see your own."}`}
        actions={<CreateTokenButton />}
      >
        <TokenList isOwner={isOwner} />
      </Page>
    </RoleOnly>
  );
}
