import { RoleOnly } from "../../session/role-only.tsx";
import { Page } from "../../ui/page/page.tsx";
import { Invitations } from "./invitations.tsx";
import { InviteButton } from "./invite-button.tsx";
import { Members } from "./members.tsx";

export function PeoplePage() {
  return (
    <RoleOnly needed="owner">
      <Page title="People" lead="Who may sign in to this account, and what they may do." actions={<InviteButton />}>
        <Members />
        <Invitations />
      </Page>
    </RoleOnly>
  );
}
