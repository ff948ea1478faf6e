import { Alert, Group, Text } from "@mantine/core";
import { t } from "../../language.ts";
import { trpc } from "../../trpc.ts";
import { SmallButton } from "../base/buttons.tsx";
import { running } from "../base/fields.ts";
import { News, readableMessage } from "../base/page.tsx";

/** Tells a person who has not opened the mailed link yet what waits for it; nothing where no mail is set up. */
export function EmailUnproven({ email, emailProven }: { email: string; emailProven: boolean }) {
  const hasMail = trpc.auth.state.useQuery().data?.mail === true;
  const resend = trpc.auth.resendProof.useMutation();
  if (emailProven || !hasMail) return null;
  return (
    <Alert color="yellow" title={t("Confirm your e-mail address")}>
      <Text>
        {t("Open the link that was sent to {email}. Until an owner has done so, the account sends nobody else an e-mail.", { email })}
      </Text>
      <Group gap="sm" mt="xs">
        <SmallButton {...running(resend)}>{t("Send the link again")}</SmallButton>
        <News>
          {resend.isSuccess && t("Link sent")}
          {resend.error !== null && readableMessage(resend.error.message)}
        </News>
      </Group>
    </Alert>
  );
}
