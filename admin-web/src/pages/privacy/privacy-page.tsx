import { useMay, RoleOnly, WithSettings } from "../../session.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { Erasing } from "./erasing.tsx";
import { OptOuts } from "./opt-outs.tsx";
import { RetentionFacts, RetentionForm } from "./retention.tsx";

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
