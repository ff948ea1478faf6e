import { Alert } from "@mantine/core";
import type { Settings } from "../../session/with-settings.tsx";
import { Moment } from "../../ui/moment.tsx";

/** Where messages go, said plainly, and what keeps them from going. */
export function PlatformNotice({ platform: { configured, sandbox, problem } }: { platform: Settings["platform"] }) {
  return (
    <>
      {problem !== null && (
        <Alert color="red" title="The platform refuses this account" role="alert">
          {problem.reason} (code {problem.code}, since <Moment at={problem.since} />
          ). Messages are logged as failed until it takes one again: it is asked once a minute, and when the connection test passes.
        </Alert>
      )}
      {!configured && (
        <Alert color="yellow" title="Nothing is connected">
          Events are stored, and nothing is sent, until {sandbox ? "the sandbox is connected" : "the credentials are entered"}.
        </Alert>
      )}
      {configured && sandbox && (
        <Alert color="teal" title="This account sends to the sandbox">
          No message reaches a real phone; the sandbox phone shows them all. To send for real, whoever runs this server sets{" "}
          <code>PLATFORM_API_URL</code> to <code>https://graph.facebook.com</code> and starts it anew; then enter the credentials of your
          business account here.
        </Alert>
      )}
    </>
  );
}
