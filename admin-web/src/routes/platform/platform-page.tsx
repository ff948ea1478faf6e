import { useMay } from "../../session/me.ts";
import { WithSettings } from "../../session/with-settings.tsx";
import { Page } from "../../ui/page/page.tsx";
import { Section } from "../../ui/page/section.tsx";
import { Callback } from "./callback.tsx";
import { Connection } from "./connection.tsx";
import { CredentialsForm } from "./credentials-form.tsx";
import { PlatformNotice } from "./platform-notice.tsx";

export function PlatformPage() {
  const isOwner = useMay("owner");
  return (
    <Page
      title="Platform"
      lead="The messaging platform that carries the account's messages: WhatsApp's Cloud API, or the sandbox to try everything out."
    >
      <WithSettings>
        {({ platform }) => (
          <>
            <PlatformNotice platform={platform} />
            <Section title="Connection">
              <Connection platform={platform} />
            </Section>
            {isOwner && (
              <Section
                title="Credentials"
                lead="All of them stand in the platform's app settings. The two secrets are encrypted, and never shown again."
              >
                <CredentialsForm platform={platform} />
              </Section>
            )}
            <Section
              title="Callback"
              lead="By it the platform reports what became of messages and templates. Without it messages stay at sent."
            >
              <Callback webhookUrl={platform.webhookUrl} verifyToken={platform.verifyToken} />
            </Section>
          </>
        )}
      </WithSettings>
    </Page>
  );
}
