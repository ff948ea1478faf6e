import { Card, Stack } from "@mantine/core";
import { useMay, useMe } from "../../session/me.ts";
import { WithSettings } from "../../session/with-settings.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { Page } from "../../ui/page/page.tsx";
import { Section } from "../../ui/page/section.tsx";
import { AccountNameForm } from "./account-name-form.tsx";
import { TimeZoneFact } from "./time-zone-fact.tsx";
import { TimeZoneForm } from "./time-zone-form.tsx";

export function GeneralPage() {
  const { account } = useMe();
  const mayRename = useMay("owner");
  const mayChange = useMay("operator");
  return (
    <Page title="General">
      <Section title="Account">
        <Card withBorder>
          <Stack gap="lg">
            {mayRename && <AccountNameForm name={account.name} />}
            <Facts>
              {!mayRename && <Fact name="Name">{account.name}</Fact>}
              <Fact name="Account id">{account.id}</Fact>
            </Facts>
          </Stack>
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
