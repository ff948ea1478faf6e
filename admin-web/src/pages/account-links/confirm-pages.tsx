import { Button, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { cache, trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/base/buttons.tsx";
import { running } from "../../ui/base/fields.ts";
import { tableOf } from "../../ui/base/labels.ts";
import { CardPage, FailureNotice } from "../../ui/base/page.tsx";
import { DeadLink, useLinkToken } from "./link.tsx";
import labels from "./question-labels.json";

const questions = tableOf(labels);

/** The page behind the link of a mail about alerts. */
export function ConfirmAlertsPage() {
  const confirm = trpc.alerts.confirm.useMutation();
  return (
    <Question
      confirm={confirm}
      words={questions.alerts}
      told={({ address }) => t("Alerts go to {address} from now on. An owner of the account can remove the address.", { address })}
    >
      <Text>{t("If you do not want them, close this page: you get no more e-mails.")}</Text>
    </Question>
  );
}

/** How the token begins by which somebody shows that a new account's address is theirs. */
const proofMark = "prove.";

/** The page behind the link to a new address, or to that of a new account. */
export function ConfirmEmailPage() {
  const onSuccess = () => cache.auth.me.invalidate();
  const [prove, change] = [trpc.auth.proveEmail.useMutation({ onSuccess }), trpc.auth.confirmEmail.useMutation({ onSuccess })];
  const isProof = useLinkToken().startsWith(proofMark);
  const told = ({ email }: { email: string }) =>
    isProof ? t("The account of {email} is open.", { email }) : t("You sign in as {email} from now on.", { email });
  const next = <TextLink to={paths.home}>{t("Go to Home")}</TextLink>;
  return <Question confirm={isProof ? prove : change} words={isProof ? questions.prove : questions.change} {...{ told, next }} />;
}

interface QuestionProps<Answer> {
  confirm: {
    data: Answer | undefined;
    mutate: (input: { token: string }) => void;
    isPending: boolean;
    error: { message: string; data?: { code: string } | null | undefined } | null;
  };
  /** `expired`: the reason why the link may be dead. `done`: the title once it is confirmed. */
  words: (typeof questions)["alerts"];
  /** The text once it is confirmed, and what stands below. */
  told: (answer: Answer) => string;
  next?: ReactNode;
  children?: ReactNode;
}

/** A click confirms, not the visit: programs that look at mails visit links too. */
function Question<Answer>({ confirm, words, told, next, children }: QuestionProps<Answer>) {
  const { title, lead, action, failure, expired, done } = words;
  const token = useLinkToken();
  if (confirm.data !== undefined)
    return (
      <CardPage title={done}>
        <Text size="md" role="status">
          {told(confirm.data)}
        </Text>
        {next}
      </CardPage>
    );
  if (token === "")
    return (
      <DeadLink title={t("This link is incomplete")}>
        {t("The part after the # is missing. Open the link again, or copy the whole link.")}
      </DeadLink>
    );
  if (confirm.error?.data?.code === "NOT_FOUND") return <DeadLink title={t("This link is no longer valid")}>{expired}</DeadLink>;
  return (
    <CardPage title={title} lead={lead}>
      <FailureNotice title={failure} of={confirm} />
      <Button {...running(confirm, { token })}>{action}</Button>
      {children}
    </CardPage>
  );
}
