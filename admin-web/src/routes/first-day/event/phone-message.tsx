import { type Outputs, trpc } from "../../../trpc.ts";
import { MessageBubble } from "../../../ui/message/message-bubble.tsx";
import { PhonePreview } from "../../../ui/message/phone-preview.tsx";
import { FailureNotice } from "../../../ui/states/failure-notice.tsx";

type Sent = Pick<Outputs["notifications"]["list"]["items"][number], "waMessageId" | "template">;
type Received = Outputs["sandbox"]["messages"]["items"][number];

const pollMs = 1000;

/** The message as the sandbox's phone has it. */
export function PhoneMessage({ message }: { message: Sent }) {
  const phone = trpc.sandbox.messages.useQuery(
    { limit: 20 },
    { refetchInterval: ({ state }) => find(state.data?.items, message) === undefined && pollMs },
  );
  const received = find(phone.data?.items, message);
  if (phone.error !== null) return <FailureNotice title="Could not load the sandbox phone" error={phone.error} />;
  return <PhonePreview title="On the phone">{received === undefined ? "On its way…" : <MessageBubble {...received} />}</PhonePreview>;
}

/** Who may see no phones sees no ids of the platform either: then it is the newest of that template. */
function find(messages: Received[] | undefined, { waMessageId, template }: Sent): Received | undefined {
  return messages?.find((message) => (waMessageId === null ? message.template === template : message.id === waMessageId));
}
