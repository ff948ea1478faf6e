import { Code } from "@mantine/core";
import type { Settings } from "../../session/with-settings.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { LabelBadge } from "../../ui/label-badge.tsx";

/** What is stored of the connection; of secrets only that they are there. */
export function ConnectionFacts({ platform }: { platform: Settings["platform"] }) {
  if (!platform.configured) {
    return (
      <Facts>
        <Fact name="Platform">
          <LabelBadge>not connected</LabelBadge>
        </Fact>
      </Facts>
    );
  }
  return (
    <Facts>
      <Fact name="Platform">
        {platform.sandbox ? <LabelBadge color="yellow">sandbox</LabelBadge> : <LabelBadge color="teal">WhatsApp Cloud API</LabelBadge>}
      </Fact>
      <Fact name="Business account">{platform.wabaId}</Fact>
      <Fact name="Phone number id">{platform.phoneNumberId}</Fact>
      <Fact name="Access token">
        {platform.accessTokenHint ? (
          <>
            ends in <Code>{platform.accessTokenHint}</Code>
          </>
        ) : (
          "stored"
        )}
      </Fact>
      <Fact name="App id">{platform.appId ?? "not given"}</Fact>
      <Fact name="App secret">{platform.hasAppSecret ? "stored" : "missing: callbacks are refused until it is entered"}</Fact>
      <Fact name="API version">{platform.apiVersion}</Fact>
    </Facts>
  );
}
