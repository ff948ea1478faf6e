import { Alert } from "@mantine/core";
import { Moment } from "../../ui/moment.tsx";

interface PlatformNoticeProps {
  configured: boolean;
  problem: { code: string; reason: string; since: string } | null;
}

/** Says plainly when nothing can be sent, and why. */
export function PlatformNotice({ configured, problem }: PlatformNoticeProps) {
  if (!configured) {
    return (
      <Alert color="yellow" title="No messaging platform is connected">
        Events are stored and nothing is sent until the account&apos;s platform credentials are set.
      </Alert>
    );
  }
  if (problem === null) return null;
  return (
    <Alert color="red" title="The platform refuses this account">
      {problem.reason} (code {problem.code}, since <Moment at={problem.since} />)
    </Alert>
  );
}
