import { Card } from "@mantine/core";
import { paths } from "../../paths.ts";
import { EmptyState } from "../../ui/states/empty-state.tsx";
import { TextLink } from "../../ui/text-link.tsx";

/** In place of the phone while nothing goes to the sandbox. */
export function NoSandbox({ configured }: { configured: boolean }) {
  return (
    <Card withBorder>
      <EmptyState title={configured ? "Messages go to real phones" : "No messaging platform is connected"}>
        {configured
          ? "This account is connected to the real platform, so there is no phone to show; what became of each message stands in the log. "
          : "Events are stored and nothing is sent until the account is connected, to the sandbox or to the real platform. "}
        <TextLink to={paths.platform}>See the platform&apos;s settings</TextLink>
      </EmptyState>
    </Card>
  );
}
