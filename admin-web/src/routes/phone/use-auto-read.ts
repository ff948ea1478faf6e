import { useEffect, useRef } from "react";
import { type Chat, isUnread } from "./chats.ts";

/** Reads what the open chat holds and what arrives in it, each message once: one that is refused is not asked for again. */
export function useAutoRead(isOn: boolean, chat: Chat | undefined, markRead: (id: string) => void): void {
  const asked = useRef(new Set<string>());
  useEffect(() => {
    if (!isOn || chat === undefined) return;
    for (const { id } of chat.messages.filter(isUnread)) {
      if (asked.current.has(id)) continue;
      asked.current.add(id);
      markRead(id);
    }
  }, [isOn, chat, markRead]);
}
