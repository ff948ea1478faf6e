import type { Outputs } from "../../trpc.ts";

export type PhoneMessage = Outputs["sandbox"]["messages"]["items"][number];

export interface Chat {
  /** Whose phone it is: E.164, masked for viewers. */
  to: string;
  /** Oldest first, and at least one. */
  messages: PhoneMessage[];
  newest: PhoneMessage;
  unread: number;
}

/** One chat a recipient, that with the newest message first. `messages`: newest first. */
export function chatsOf(messages: PhoneMessage[]): Chat[] {
  const byRecipient = new Map<string, Chat>();
  for (const message of messages) {
    const chat = byRecipient.get(message.to) ?? { to: message.to, messages: [], newest: message, unread: 0 };
    chat.messages.unshift(message);
    if (isUnread(message)) chat.unread += 1;
    byRecipient.set(message.to, chat);
  }
  return [...byRecipient.values()];
}

export const isUnread = ({ status }: PhoneMessage): boolean => status !== "read";
