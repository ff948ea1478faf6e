import { Page } from "../../ui/page/page.tsx";
import { Section } from "../../ui/page/section.tsx";
import { PasswordForm } from "./password-form.tsx";
import { Profile } from "./profile.tsx";
import { Sessions } from "./sessions.tsx";
import { SignOutEverywhere } from "./sign-out-everywhere.tsx";

export function MyAccountPage() {
  return (
    <Page title="My account">
      <Profile />
      <Section title="Password" lead="A change signs you out everywhere but here.">
        <PasswordForm />
      </Section>
      <Section
        title="Sessions"
        lead="Where you are signed in. End one that you do not know, and change your password."
        actions={<SignOutEverywhere />}
      >
        <Sessions />
      </Section>
    </Page>
  );
}
