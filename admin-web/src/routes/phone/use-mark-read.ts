import { trpc } from "../../trpc.ts";
import type { PhoneMessage } from "./chats.ts";
import { phoneMessagesInput } from "./phone-messages.ts";

interface MarkRead {
  mutate: (message: { id: string }) => void;
  error: { message: string } | null;
}

/** Opens a message on the phone. It is shown as read at once, and as before should the server refuse. */
export function useMarkRead(): MarkRead {
  const messages = trpc.useUtils().sandbox.messages;
  return trpc.sandbox.markRead.useMutation({
    onMutate: async ({ id }) => {
      await messages.cancel();
      const before = messages.getInfiniteData(phoneMessagesInput);
      messages.setInfiniteData(
        phoneMessagesInput,
        (data) => data && { ...data, pages: data.pages.map((page) => ({ ...page, items: withRead(page.items, id) })) },
      );
      return before;
    },
    onError: (_error, _input, before) => messages.setInfiniteData(phoneMessagesInput, before),
    onSettled: () => messages.invalidate(),
  });
}

const withRead = (items: PhoneMessage[], id: string): PhoneMessage[] =>
  items.map((item) => (item.id === id ? { ...item, status: "read" } : item));
