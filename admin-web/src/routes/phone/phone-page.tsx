import { WithSettings } from "../../session/with-settings.tsx";
import { Page } from "../../ui/page/page.tsx";
import { MagicNumbersCard } from "./magic-numbers-card.tsx";
import { NoSandbox } from "./no-sandbox.tsx";
import { SandboxPhone } from "./sandbox-phone.tsx";
import classes from "./phone-page.module.css";

export function PhonePage() {
  return (
    <Page
      title="Sandbox phone"
      lead="While an account sends to the sandbox, its messages show here as they arrive, and none reaches a real phone."
    >
      <WithSettings>
        {({ platform: { configured, sandbox } }) =>
          configured && sandbox ? (
            <div className={classes["page"]}>
              <SandboxPhone />
              <MagicNumbersCard />
            </div>
          ) : (
            <NoSandbox configured={configured} />
          )
        }
      </WithSettings>
    </Page>
  );
}
