import { Code } from "@mantine/core";
import { paths } from "../../../paths.ts";
import { useSiteName } from "../../../pickers/use-site-name.ts";
import { trpc } from "../../../trpc.ts";
import { Fact, Facts } from "../../../ui/facts.tsx";
import { Section } from "../../../ui/page/section.tsx";
import { TextLink } from "../../../ui/text-link.tsx";
import { changeLogSearch } from "../log-search.ts";
import type { MessageDetails } from "./message-details.ts";

/** Where the message comes from, each a way there. */
export function MessageFacts({ message }: { message: MessageDetails }) {
  return (
    <Section title="Where it comes from">
      <Facts>
        <Origins {...message} />
        <Fact name="Attempts">{message.attempt}</Fact>
        <OtherMessage name="Resend of" id={message.resendOf} words="the earlier message" />
        <OtherMessage name="Sent again" id={message.resentAs} words="the later message" />
        <Fact name="Id">
          <Code>{message.id}</Code>
        </Fact>
        <Fact name="Platform's id">{message.waMessageId !== null && <Code>{message.waMessageId}</Code>}</Fact>
      </Facts>
    </Section>
  );
}

function Origins({ siteId, eventId, event, bindingId, templateId, template, language }: MessageDetails) {
  const siteName = useSiteName();
  return (
    <>
      <Fact name="Site">
        <TextLink to={paths.site} params={{ siteId }}>
          {siteName(siteId)}
        </TextLink>
      </Fact>
      <Fact name="Event">
        <TextLink to={paths.events} search={{ open: eventId }}>
          {event}
        </TextLink>
      </Fact>
      <OrderOf eventId={eventId} />
      <Fact name="Binding">
        <TextLink to={paths.binding} params={{ bindingId }}>
          what turned the event into this message
        </TextLink>
      </Fact>
      <Fact name="Template">
        <TextLink to={paths.template} params={{ templateId }}>
          {template} ({language})
        </TextLink>
      </Fact>
    </>
  );
}

function OrderOf({ eventId }: { eventId: string }) {
  const event = trpc.events.get.useQuery({ id: eventId }, { staleTime: 5000 });
  const orderId = event.data?.event.orderId ?? null;
  if (orderId === null) return null;
  return (
    <Fact name="Order">
      <TextLink to={paths.order} params={{ orderId }}>
        everything that happened for it
      </TextLink>
    </Fact>
  );
}

function OtherMessage({ name, id, words }: { name: string; id: string | null; words: string }) {
  if (id === null) return null;
  return (
    <Fact name={name}>
      <TextLink to={paths.log} search={changeLogSearch({ open: id })}>
        {words}
      </TextLink>
    </Fact>
  );
}
