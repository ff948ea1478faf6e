import { Skeleton, Text } from "@mantine/core";
import { slotLabel } from "shared/core/binding";
import { trpc } from "../../../trpc.ts";
import { ChatPaper } from "../../../ui/message/chat-paper.tsx";
import { fillMessage, type WhyEmpty } from "../../../ui/message/fill-message.ts";
import { MessageBubble } from "../../../ui/message/message-bubble.tsx";
import { Section } from "../../../ui/page/section.tsx";
import { FailureNotice } from "../../../ui/states/failure-notice.tsx";
import type { MessageDetails } from "./message-details.ts";
import { readComponents, sentSlots, sentTexts } from "./sent-slots.ts";
import classes from "./sent-message.module.css";

/** The message as the phone shows it: the template as it is now, with the texts that were sent. */
export function SentMessage({ message }: { message: MessageDetails }) {
  const template = trpc.templates.get.useQuery({ id: message.templateId }, { staleTime: 60_000 });
  const components = readComponents(message.components);
  return (
    <Section title="Message">
      <ChatPaper>
        {template.data !== undefined && (
          <MessageBubble
            {...fillMessage(template.data.template, sentSlots(components, template.data.template), whyEmpty(message))}
            at={message.sentAt ?? undefined}
          />
        )}
        {template.isPending && <Skeleton height={120} maw="19rem" />}
        {template.error?.data?.code === "NOT_FOUND" && <TextsAlone texts={sentTexts(components)} />}
      </ChatPaper>
      {template.error !== null && template.error.data?.code !== "NOT_FOUND" && (
        <FailureNotice title="Could not load the template" error={template.error} onRetry={() => void template.refetch()} />
      )}
    </Section>
  );
}

function TextsAlone({ texts }: { texts: string[] }) {
  return (
    <Text size="sm" component="div">
      The template is gone, so the message cannot be drawn. {texts.length > 0 && "Its slots were filled with:"}
      <ul className={classes["texts"]}>
        {texts.map((text, index) => (
          <li key={index}>{text}</li>
        ))}
      </ul>
    </Text>
  );
}

/** A message that could not be put together keeps the reasons of its empty slots, and no values. */
function whyEmpty({ errorReason }: MessageDetails): WhyEmpty {
  const reasons = errorReason?.split("; ") ?? [];
  return (group, name) => {
    const label = `${slotLabel(group, name)}: `;
    return (
      reasons.find((reason) => reason.startsWith(label))?.slice(label.length) ??
      "its value is not kept, since the message was never put together"
    );
  };
}
