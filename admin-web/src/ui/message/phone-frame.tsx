import { useEffect, useRef, type ReactNode } from "react";
import classes from "./phone-frame.module.css";

interface PhoneFrameProps {
  /** Whose chat it is. */
  title: string;
  /** Identifies the last message: when another comes, the chat scrolls down to it. */
  newest: string | undefined;
  children: ReactNode;
}

/** A phone with a chat on it. */
export function PhoneFrame({ title, newest, children }: PhoneFrameProps) {
  const chat = useRef<HTMLDivElement>(null);
  useEffect(() => {
    chat.current?.scrollTo({ top: chat.current.scrollHeight });
  }, [newest]);
  return (
    <div className={classes["phone"]}>
      <div className={classes["bar"]}>{title}</div>
      {/* What scrolls must be reachable by the keyboard too. */}
      <div className={classes["chat"]} ref={chat} role="log" aria-label={title} tabIndex={0}>
        {children}
      </div>
    </div>
  );
}
