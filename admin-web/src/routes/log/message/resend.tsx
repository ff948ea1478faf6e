import { Button, Group, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { paths } from "../../../paths.ts";
import { useMay } from "../../../session/me.ts";
import { trpc } from "../../../trpc.ts";
import { FailureNotice } from "../../../ui/states/failure-notice.tsx";
import { TextLink } from "../../../ui/text-link.tsx";
import { changeLogSearch } from "../log-search.ts";
import { useLookAgain } from "../use-look-again.ts";
import type { MessageDetails } from "./message-details.ts";

/** Sends a failed message again where that can help, else says why not. */
export function Resend({ message: { id, resend, resentAs } }: { message: MessageDetails }) {
  const isOperator = useMay("operator");
  if (resentAs !== null) {
    return (
      <Text size="sm">
        It was sent again:{" "}
        <TextLink to={paths.log} search={changeLogSearch({ open: resentAs })}>
          see the resend
        </TextLink>
        .
      </Text>
    );
  }
  if (!isOperator) return null;
  if (resend === "futile") return <Text size="sm">There is no button to resend it: it would fail in the same way.</Text>;
  return <ResendButton id={id} isUnsure={resend === "later"} />;
}

/** However often it is pressed, one message is sent: the server answers with the same one. */
function ResendButton({ id, isUnsure }: { id: string; isUnsure: boolean }) {
  const navigate = useNavigate();
  const lookAgain = useLookAgain();
  const utils = trpc.useUtils();
  const resend = trpc.notifications.resend.useMutation({
    onSuccess: async ({ notification }) => {
      lookAgain();
      void utils.notifications.get.invalidate({ id });
      await navigate({ to: paths.log, search: changeLogSearch({ open: notification.id }), resetScroll: false });
    },
  });
  return (
    <>
      <Group gap="sm">
        <Button size="xs" loading={resend.isPending} onClick={() => resend.mutate({ id })}>
          Resend
        </Button>
        {isUnsure && (
          <Text size="sm">
            Only worth it if something has changed at the recipient&apos;s side, or you know that the message did not arrive.
          </Text>
        )}
      </Group>
      {resend.error !== null && <FailureNotice title="It was not sent again" error={resend.error} />}
    </>
  );
}
