import { useMay, RoleOnly, WithSettings } from "../../session.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { Erasing } from "./erasing.tsx";
import { OptOuts } from "./opt-outs.tsx";
import { RetentionFacts, RetentionForm } from "./retention.tsx";

export function PrivacyPage() {
  const isOwner = useMay("owner");
  return (
    <RoleOnly needed="operator">
      <Page title="Privacy" lead="How long data is kept, who has opted out, and how to erase personal data.">
        <Section title="Data retention">
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
