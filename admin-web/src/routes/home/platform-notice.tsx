import { Alert } from "@mantine/core";
import { paths } from "../../paths.ts";
import { Moment } from "../../ui/moment.tsx";
import { TextLink } from "../../ui/text-link.tsx";

interface PlatformNoticeProps {
  configured: boolean;
  problem: { code: string; reason: string; since: string } | null;
}

/** Says plainly when nothing can be sent, and why. */
export function PlatformNotice({ configured, problem }: PlatformNoticeProps) {
  if (!configured) {
    return (
      <Alert color="yellow" title="No messaging platform is connected">
        Events are stored and nothing is sent until the account&apos;s platform credentials are set. <ToSettings>Connect it</ToSettings>
      </Alert>
    );
  }
  if (problem === null) return null;
  return (
    <Alert color="red" title="The platform refuses this account">
      {problem.reason} (code {problem.code}, since <Moment at={problem.since} />) <ToSettings>See the connection</ToSettings>
    </Alert>
  );
}

function ToSettings({ children }: { children: string }) {
  return (
    <TextLink to={paths.platform} size="sm" underline="always" c="inherit">
      {children}
    </TextLink>
  );
}
