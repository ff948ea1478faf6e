import { useMay } from "../../session/me.ts";
import { RoleOnly } from "../../session/role-only.tsx";
import { WithSettings } from "../../session/with-settings.tsx";
import { Page } from "../../ui/page/page.tsx";
import { Section } from "../../ui/page/section.tsx";
import { Erasing } from "./erasing/erasing.tsx";
import { OptOuts } from "./opt-outs/opt-outs.tsx";
import { RetentionFacts } from "./retention/retention-facts.tsx";
import { RetentionForm } from "./retention/retention-form.tsx";

export function PrivacyPage() {
  const isOwner = useMay("owner");
  return (
    <RoleOnly needed="operator">
      <Page title="Privacy" lead="What is kept of people and for how long, who wants no messages, and how one person is forgotten.">
        <Section title="How long things are kept">
          <WithSettings>
            {({ retention }) => (isOwner ? <RetentionForm retention={retention} /> : <RetentionFacts retention={retention} />)}
          </WithSettings>
        </Section>
        <OptOuts />
        {isOwner && <Erasing />}
      </Page>
    </RoleOnly>
  );
}
