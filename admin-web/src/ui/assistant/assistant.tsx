import { Alert, Anchor, Button, type ButtonProps, Code, Group, Stack, Text } from "@mantine/core";
import { skipToken, useMutation } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { AssistantQuestion } from "shared/core/input/assistant";
import type { Said } from "shared/core/wording";
import { t } from "../../language.ts";
import { pages } from "../../paths.ts";
import { cache, codeOf, type Outputs, trpc, trpcClient } from "../../trpc.ts";
import { SecondaryButton, TextLink } from "../base/buttons.tsx";
import { doing, running } from "../base/fields.ts";
import { Dimmed, FailureNotice, Pending, rich } from "../base/page.tsx";
import { Sentences } from "../base/sentences.tsx";
import { useTold } from "../base/told.tsx";
import classes from "./assistant.module.css";

type News = Outputs["assistant"]["follow"] extends AsyncIterable<infer Each> ? Each : never;
export type Proposal = Extract<News, { kind: "done" }>["proposal"];

/** A question to the assistant, and the part of its answer that has come. */
export interface Asked {
  state: "idle" | "asking" | "answering" | "done" | "failed";
  /** The part of a structured answer that has come. */
  partial: unknown;
  /** The part of a text that has come. */
  text: string;
  proposal: Proposal | null;
  /** The proposal before, which stands again where this question brings none. */
  earlier: Proposal | null;
  /** The faults of a first answer; the second one is on its way. */
  problems: readonly string[];
  message: string;
  /** The message as data, if it is the server's. */
  said: Said | null;
}

const idle: Asked = { state: "idle", partial: undefined, text: "", proposal: null, earlier: null, problems: [], message: "", said: null };

/** Asks the assistant. Leaving the page, or `stop`, ends the question also at the provider. */
export function useQuestion() {
  const [asked, setAsked] = useState(idle);
  const [use, setUse] = useState<{ id: string } | typeof skipToken>(skipToken);
  const begun = useMutation({
    mutationFn: ({ kind, input }: AssistantQuestion): Promise<{ use: { id: string } }> => trpcClient.assistant[kind].mutate(input as never),
    // The provider has changed since: the person is asked again whether they agree.
    onError: (error) => void (codeOf(error) === "PRECONDITION_FAILED" && cache.assistant.get.invalidate()),
  });
  const fail = (message: string) =>
    setAsked((before) => (hasEnded(before) ? before : { ...before, ...withoutAnswer(before), state: "failed", message }));
  trpc.assistant.follow.useSubscription(use, {
    onData: (news) => setAsked((before) => withNews(before, news)),
    onError: ({ data, message }) => fail(data?.code === "NOT_FOUND" ? t("The connection was lost. Ask again.") : message),
    onComplete: () => fail(t("The answer stopped too early. Ask again.")),
  });
  const leave = () => {
    begun.reset();
    setUse(skipToken);
  };
  const stop = () => {
    leave();
    setAsked((before) => (hasEnded(before) ? before : { ...idle, ...withoutAnswer(before) }));
  };
  const ask = (question: AssistantQuestion): void => {
    leave();
    setAsked(({ proposal }) => ({ ...idle, state: "asking", earlier: proposal }));
    begun.mutate(question, { onSuccess: (answer) => setUse(answer.use), onError: ({ message }) => fail(message) });
  };
  return { ...asked, ask, stop, reset: () => setAsked(idle), isBusy: asked.state === "asking" || asked.state === "answering" };
}

const withoutAnswer = ({ earlier }: Asked) => ({ partial: undefined, proposal: earlier });

const hasEnded = ({ state }: Asked): boolean => state === "done" || state === "failed";

function withNews(before: Asked, news: News): Asked {
  switch (news.kind) {
    case "partial":
      return { ...before, state: "answering", partial: news.partial };
    case "text":
      return { ...before, state: "answering", text: before.text + news.text };
    case "again":
      return { ...before, state: "answering", partial: undefined, problems: news.problems };
    case "done":
      return { ...before, state: "done", proposal: news.proposal };
    case "failed":
      return { ...before, ...withoutAnswer(before), state: "failed", message: news.message, said: news.said };
  }
}

interface AskPanelProps {
  /** The question; null while a part of it is missing. */
  question: AssistantQuestion | null;
  /** The label of the button that asks. */
  action: string;
  /** The fields for the person. */
  children?: ReactNode;
  /** Shows the proposal, also while it comes. */
  show: (answer: { partial: unknown; proposal: Proposal | null }) => ReactNode;
  /** The label of the button that accepts the proposal, and its effect. */
  accept: string;
  onAccept: (proposal: Proposal) => void;
}

/** Asks one question, after the person has once seen the text that leaves and agreed, and offers the proposal. */
export function AskPanel({ question, action, children, show, accept, onAccept }: AskPanelProps) {
  const asked = useQuestion();
  const consent = useConsent();
  const ask = () => question !== null && asked.ask(question);
  const { proposal } = asked;
  return (
    <Stack>
      <Stack component="form" onSubmit={doing(() => consent.before(ask))}>
        {children}
        <AskButtons
          action={proposal === null ? action : t("Ask again")}
          variant={proposal === null ? "filled" : "default"}
          {...{ question, asked, consent }}
          onStop={asked.stop}
        />
      </Stack>
      <Consent question={question} consent={consent} onAgreed={ask} />
      <Progress asked={asked} />
      {(asked.partial !== undefined || proposal !== null) && show({ partial: asked.partial, proposal })}
      {proposal !== null && <Accept label={accept} onAccept={() => onAccept(proposal)} />}
    </Stack>
  );
}

interface AskButtonsProps extends Pick<ButtonProps, "variant"> {
  action: string;
  question: AssistantQuestion | null;
  asked: { isBusy: boolean };
  consent: ConsentState;
  onStop: () => void;
  children?: ReactNode;
}

/** The buttons below a question: they ask it, stop the answer, and show what is shared. */
export const AskButtons = ({ action, question, asked, consent, onStop, children, ...button }: AskButtonsProps) => (
  <Group gap="sm">
    <Button type="submit" {...button} disabled={question === null || asked.isBusy}>
      {action}
    </Button>
    {asked.isBusy && <SecondaryButton onClick={onStop}>{t("Stop")}</SecondaryButton>}
    {children}
    {question !== null && consent.shown === null && (
      <Anchor component="button" type="button" onClick={() => consent.show("look")}>
        {t("What is shared?")}
      </Anchor>
    )}
  </Group>
);

/** The button that accepts the proposal; it scrolls into sight. */
function Accept({ label, onAccept }: { label: string; onAccept: () => void }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    place.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <Group gap="sm" ref={place}>
      <Button onClick={onAccept}>{label}</Button>
      <Dimmed>{t("Nothing is saved until you save it.")}</Dimmed>
    </Group>
  );
}

/** Tells the progress, for screen readers too. */
function Progress({ asked: { state, problems, message: text, said } }: { asked: Asked }) {
  const message = useTold({ text, said });
  if (state === "failed") return <FailureNotice title={t("The assistant gave no answer")} error={{ message }} />;
  const words = {
    idle: "",
    asking: t("The assistant reads the question…"),
    answering: t("The assistant writes…"),
    done: t("A proposal: check it before you use it."),
  };
  return (
    <div>
      <Dimmed role="status">{words[state]}</Dimmed>
      {state === "answering" && problems.length > 0 && (
        <Alert color="yellow" mt="xs" title={t("The first answer broke the rules, so the assistant is writing another one")}>
          <Sentences of={problems} />
        </Alert>
      )}
    </div>
  );
}

type ConsentState = ReturnType<typeof useConsent>;

/** Whether the person has agreed, and whether the dialog with the leaving text is open. */
export function useConsent() {
  const assistant = trpc.assistant.get.useQuery(undefined, { staleTime: 60_000 });
  const [shown, show] = useState<"agree" | "look" | null>(null);
  const isAgreed = assistant.data?.isOn === true && assistant.data.isAgreed;
  /** Asks for the consent first, unless it was given. */
  return { shown, show, before: (ask: () => void) => (isAgreed ? ask() : show("agree")) };
}

type ConsentProps = { question: AssistantQuestion | null; consent: ConsentState; onAgreed: () => void };

/** The exact text that leaves for the provider, where the person wants to see it; before the first question they agree to it. */
export const Consent = ({ question, ...props }: ConsentProps) =>
  question !== null && props.consent.shown !== null && <Leaving question={question} {...props} />;

function Leaving({ question, consent: { shown, show }, onAgreed }: ConsentProps & { question: AssistantQuestion }) {
  const isFirst = shown === "agree";
  const preview = trpc.assistant.preview.useQuery({ question }, { gcTime: 0 });
  const agree = trpc.assistant.agree.useMutation({
    onSuccess: (assistant) => {
      cache.assistant.get.setData(undefined, assistant);
      show(null);
      onAgreed();
    },
  });
  if (preview.data === undefined)
    return <Pending query={preview} what={t("what is shared")} failure={t("Could not show what is shared")} />;
  const { place, model, system, messages } = preview.data;
  return (
    <Stack
      gap="sm"
      p="md"
      bd="1px solid var(--mantine-color-default-border)"
      bdrs="md"
      bg="var(--mantine-color-default-hover)"
      component="section"
      aria-label={isFirst ? t("Before the first question") : t("What is shared")}
    >
      {isFirst && (
        <Text>
          {rich(
            t(
              "<0>Before your first question:</0> the assistant asks a language model outside Tidings. It gets field names, template texts and error codes, but no event values, phone numbers or customer names. You can see here each time what is shared.",
            ),
            <strong />,
          )}
        </Text>
      )}
      <Text>{rich(t("Only this text is sent to <0>{place}</0>, to the model <1>{model}</1>:", { place, model }), <Code />, <Code />)}</Text>
      <pre dir="ltr" className={classes["leaves"]} role="group" aria-label={t("What is shared")} tabIndex={0}>
        {[system, ...messages.map(({ content }) => content)].join("\n\n")}
      </pre>
      <FailureNotice title={t("Your consent was not saved")} of={agree} />
      <Group gap="sm">
        {isFirst && <Button {...running(agree, { place })}>{t("Agree and ask")}</Button>}
        <SecondaryButton onClick={() => show(null)}>{isFirst ? t("Cancel") : t("Hide")}</SecondaryButton>
        <TextLink {...pages.topic("assistant")}>{t("More about this")}</TextLink>
      </Group>
    </Stack>
  );
}
