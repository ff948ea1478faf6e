import { Card } from "@mantine/core";
import { useMay, useMe } from "../../session/me.ts";
import { WithSettings } from "../../session/with-settings.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { Page } from "../../ui/page/page.tsx";
import { Section } from "../../ui/page/section.tsx";
import { TimeZoneFact } from "./time-zone-fact.tsx";
import { TimeZoneForm } from "./time-zone-form.tsx";

export function GeneralPage() {
  const { account } = useMe();
  const mayChange = useMay("operator");
  return (
    <Page title="General">
      <Section title="Account">
        <Card withBorder>
          <Facts>
            <Fact name="Name">{account.name}</Fact>
            <Fact name="Account id">{account.id}</Fact>
          </Facts>
        </Card>
      </Section>
      <Section title="Time zone" lead="One zone for the whole account, whoever looks and wherever.">
        <Card withBorder>
          <WithSettings>
            {({ timezone }) => (mayChange ? <TimeZoneForm timezone={timezone} /> : <TimeZoneFact timezone={timezone} />)}
          </WithSettings>
        </Card>
      </Section>
    </Page>
  );
}
