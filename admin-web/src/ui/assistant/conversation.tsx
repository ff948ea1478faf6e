import { Card, Stack, Text, Textarea } from "@mantine/core";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { AssistantQuestion } from "shared/core/input/assistant";
import { t } from "../../language.ts";
import { SecondaryButton } from "../base/buttons.tsx";
import { doing, bound } from "../base/fields.ts";
import { Dimmed, FailureNotice } from "../base/page.tsx";
import { AskButtons, Consent, useConsent, useQuestion } from "./assistant.tsx";
import classes from "./assistant.module.css";

/** The subject of a conversation. */
export type Subject = { eventId: string } | { notificationId: string } | { siteId: string };

type Turn = { from: "person" | "assistant"; text: string };

/** The most turns that the server takes. */
const mostTurns = 20;

/** A conversation with the assistant about a failure. It is kept while the page is open, also out of sight. */
export function Conversation({ subject, opened, onClose }: { subject: Subject; opened: boolean; onClose: () => void }) {
  const talk = useTalk(subject);
  const { asked, question } = talk;
  return (
    <Card component="section" aria-label={t("Ask the assistant")} hidden={!opened}>
      <Stack>
        <Turns turns={talk.said} coming={asked.state === "done" ? "" : asked.text} isBusy={asked.isBusy} />
        {asked.state === "failed" && <FailureNotice title={t("The assistant gave no answer")} error={asked} onRetry={talk.takeBack} />}
        <Consent question={question} consent={talk.consent} onAgreed={talk.ask} />
        {asked.state !== "failed" && <QuestionForm talk={talk} onClose={onClose} />}
      </Stack>
    </Card>
  );
}

/** The turns so far, the text that is being written, and the next question; the question is null while it cannot be asked. */
function useTalk(subject: Subject) {
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [text, setText] = useState(
    "siteId" in subject ? t("What is wrong with this site, and what can I do?") : t("What happened here, and what can I do?"),
  );
  const consent = useConsent();
  const asked = useQuestion();
  // Includes the last answer once it is whole.
  const said: readonly Turn[] = asked.state === "done" ? [...turns, { from: "assistant", text: asked.text }] : turns;
  const next: readonly Turn[] = [...said, { from: "person", text: text.trim() }];
  const isFull = next.length > mostTurns;
  const question: AssistantQuestion | null =
    text.trim() === "" || asked.isBusy || isFull ? null : { kind: "explain", input: { ...subject, turns: [...next] } };
  return {
    said,
    text,
    setText,
    isFull,
    consent,
    asked,
    question,
    ask: () => {
      if (question === null) return;
      setTurns(next);
      setText("");
      asked.ask(question);
    },
    /** Lets the last question be asked again unchanged. */
    takeBack: () => {
      asked.reset();
      setText(turns.at(-1)?.text ?? "");
      setTurns(turns.slice(0, -1));
    },
  };
}

function QuestionForm({ talk, onClose }: { talk: ReturnType<typeof useTalk>; onClose: () => void }) {
  const { text, setText, isFull, consent, asked, question, ask, takeBack } = talk;
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <Stack component="form" gap="xs" onSubmit={doing(() => question !== null && consent.before(ask))}>
      <Textarea
        label={t("Your question")}
        description={t("Leave out customers' names. Phone numbers and e-mail addresses are masked.")}
        minRows={2}
        maxRows={8}
        maxLength={2000}
        ref={field}
        {...bound(text, setText)}
        onKeyDown={sendOnEnter}
      />
      <AskButtons
        action={t("Ask")}
        {...{ question, asked, consent }}
        onStop={() => {
          asked.stop();
          takeBack();
        }}
      >
        <SecondaryButton onClick={onClose}>{t("Hide")}</SecondaryButton>
      </AskButtons>
      {isFull && <Text>{t("The conversation has reached its maximum length. Close the page and start a new one.")}</Text>}
    </Stack>
  );
}

/** Enter asks; with Shift it begins a line. */
function sendOnEnter(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
}

/** The turns as plain text: nothing in an answer becomes a link or markup. Screen readers are told whole answers. `coming`: the part of one that has come so far. */
function Turns({ turns, coming, isBusy }: { turns: readonly Turn[]; coming: string; isBusy: boolean }) {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    end.current?.scrollIntoView({ block: "nearest" });
  }, [turns.length, coming]);
  return (
    <Stack role="log" aria-label={t("Conversation")} aria-live="polite" aria-busy={isBusy}>
      {[...turns, ...(coming === "" ? [] : [{ from: "assistant", text: coming }])].map(({ from, text }, at) => (
        <Text key={at} dir="auto" className={classes["turn"] ?? ""} data-from={from}>
          {text}
        </Text>
      ))}
      {isBusy && coming === "" && <Dimmed>{t("The assistant reads the question…")}</Dimmed>}
      <div ref={end} />
    </Stack>
  );
}
