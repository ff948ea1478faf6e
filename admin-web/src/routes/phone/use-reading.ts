import { useLocalStorage } from "@mantine/hooks";
import { useCallback } from "react";
import { useMay } from "../../session/me.ts";
import type { Chat } from "./chats.ts";
import { useAutoRead } from "./use-auto-read.ts";
import { useMarkRead } from "./use-mark-read.ts";

/** Reading for the recipient, which takes the role operator: by hand, or whatever the open chat shows if that is switched on in this browser. */
export function useReading(chat: Chat | undefined) {
  const may = useMay("operator");
  const { mutate, error: refusal } = useMarkRead();
  const [isAuto, setAuto] = useLocalStorage({ key: "tidings-phone-auto-read", defaultValue: false });
  const markRead = useCallback((id: string) => mutate({ id }), [mutate]);
  useAutoRead(may && isAuto, chat, markRead);
  return { markRead: may ? markRead : undefined, refusal, isAuto, setAuto };
}
