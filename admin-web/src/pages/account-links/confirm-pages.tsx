import { Button, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { cache, trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { CardPage } from "../../ui/page.tsx";
import { DeadLink, useLinkToken } from "./link.tsx";

/** The page behind the link of a mail about alerts. */
export function ConfirmAlertsPage() {
  const confirm = trpc.alerts.confirm.useMutation();
  return (
    <Question
      confirm={confirm}
      title={t("Get alerts by e-mail")}
      lead={t("You get an e-mail when something is wrong with the account's messages, and another one when it is over.")}
      action={t("Yes, send me alerts")}
      failure={t("The address was not confirmed")}
      expired={t("It was used, or is older than three days. Ask to be added again if you want the e-mails.")}
      done={t("Alerts are on")}
      told={({ address }) => t("Alerts go to {address} from now on. An owner of the account can remove the address.", { address })}
    >
      <Text size="sm">{t("If you do not want them, close this page: you get no more e-mails.")}</Text>
    </Question>
  );
}

/** The page behind the link to a new address, or to that of a new account. */
export const ConfirmEmailPage = () => (useLinkToken().startsWith(proofMark) ? <ProveEmail /> : <ChangeEmail />);

/** How the token begins by which somebody shows that a new account's address is theirs. */
const proofMark = "prove.";

const home = <TextLink to={paths.home}>{t("Go to Home")}</TextLink>;

function ProveEmail() {
  const prove = trpc.auth.proveEmail.useMutation({ onSuccess: () => cache.auth.me.invalidate() });
  return (
    <Question
      confirm={prove}
      title={t("Confirm your e-mail address")}
      lead={t("Somebody has opened an account with this address. Confirm it only if that was you.")}
      action={t("This is my address")}
      failure={t("The address was not confirmed")}
      expired={t("It is older than three days, or the address has changed. Sign in to have a new one sent.")}
      done={t("Your address is confirmed")}
      told={({ email }) => t("The account of {email} is open.", { email })}
      next={home}
    />
  );
}

function ChangeEmail() {
  const confirm = trpc.auth.confirmEmail.useMutation({ onSuccess: () => cache.auth.me.invalidate() });
  return (
    <Question
      confirm={confirm}
      title={t("Change your address")}
      lead={t("You sign in with this address from now on, and no longer with the former one.")}
      action={t("Use this address")}
      failure={t("The address was not changed")}
      expired={t("It was used, or is older than an hour. Ask for a new one on the page My account.")}
      done={t("Your address is changed")}
      told={({ email }) => t("You sign in as {email} from now on.", { email })}
      next={home}
    />
  );
}

interface QuestionProps<Answer> {
  confirm: {
    data: Answer | undefined;
    mutate: (input: { token: string }) => void;
    isPending: boolean;
    error: { message: string; data?: { code: string } | null | undefined } | null;
  };
  title: string;
  lead: string;
  action: string;
  failure: string;
  /** The reason why the link may be dead. */
  expired: string;
  /** The title and the text once it is confirmed, and what stands below. */
  done: string;
  told: (answer: Answer) => string;
  next?: ReactNode;
  children?: ReactNode;
}

/** A click confirms, not the visit: programs that look at mails visit links too. */
function Question<Answer>({ confirm, title, lead, action, failure, expired, done, told, next, children }: QuestionProps<Answer>) {
  const token = useLinkToken();
  if (confirm.data !== undefined)
    return (
      <CardPage title={done}>
        <Text role="status">{told(confirm.data)}</Text>
        {next}
      </CardPage>
    );
  if (token === "") {
    return (
      <DeadLink title={t("This link is incomplete")}>
        {t("The part after the # is missing. Open the link again, or copy the whole link.")}
      </DeadLink>
    );
  }
  if (confirm.error?.data?.code === "NOT_FOUND") return <DeadLink title={t("This link is no longer valid")}>{expired}</DeadLink>;
  return (
    <CardPage title={title} lead={lead}>
      <FailureNotice title={failure} of={confirm} />
      <Button loading={confirm.isPending} onClick={() => confirm.mutate({ token })}>
        {action}
      </Button>
      {children}
    </CardPage>
  );
}
