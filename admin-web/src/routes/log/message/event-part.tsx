import { Alert, Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { trpc } from "../../../trpc.ts";
import { CodeBlock } from "../../../ui/code-sample/code-block.tsx";
import { prettyJson } from "../../../ui/json/pretty-json.ts";
import { Section } from "../../../ui/page/section.tsx";
import { FailureNotice } from "../../../ui/states/failure-notice.tsx";
import { ListSkeleton } from "../../../ui/states/list-skeleton.tsx";
import { eventSteps } from "../../../ui/trace/event-steps.ts";
import { TraceSteps } from "../../../ui/trace/trace-steps.tsx";

interface EventPartProps {
  eventId: string;
  /** Whose way is shown of those that the event set off. */
  bindingId: string;
}

/** The event's way to this message, and what it said. */
export function EventPart({ eventId, bindingId }: EventPartProps) {
  const event = trpc.events.get.useQuery({ id: eventId }, { staleTime: 5000 });
  if (event.error !== null && event.data === undefined)
    return <FailureNotice title="Could not load its event" error={event.error} onRetry={() => void event.refetch()} />;
  if (event.data === undefined) return <ListSkeleton what="its event" />;
  const { trace, payload, ...rest } = event.data.event;
  const own = { ...trace, bindings: trace.bindings.filter((binding) => binding.bindingId === bindingId), moreBindings: 0 };
  return (
    <>
      <Section title="How it got here">
        {rest.test && <Alert color="yellow">A test event: it goes to the site&apos;s test phone only.</Alert>}
        <TraceSteps label="How it got here" steps={eventSteps(rest, own)} />
      </Section>
      <Payload payload={payload} />
    </>
  );
}

/** Set out when it is asked for: it may be long. */
function Payload({ payload }: { payload: string | null }) {
  const [isShown, { toggle }] = useDisclosure(false);
  return (
    <Section
      title="Payload"
      actions={
        payload !== null && (
          <Button size="compact-sm" variant="default" aria-expanded={isShown} onClick={toggle}>
            {isShown ? "Hide" : "Show"} the payload
          </Button>
        )
      }
    >
      {payload === null && <Text size="sm">It is no longer kept.</Text>}
      {payload !== null && isShown && <CodeBlock code={prettyJson(payload)} language="json" label="the payload" />}
    </Section>
  );
}
