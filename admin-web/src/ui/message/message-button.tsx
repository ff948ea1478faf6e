import type { ReactNode } from "react";
import classes from "./message-bubble.module.css";

interface MessageButtonProps {
  text: string;
  url?: unknown;
  phoneNumber?: unknown;
  /** What is missing for it to work. */
  children?: ReactNode;
}

/** One of a message's buttons; it does what a tap would do where that is possible here. */
export function MessageButton({ text, url, phoneNumber, children }: MessageButtonProps) {
  const target = targetOf(url, phoneNumber);
  return (
    <div className={classes["button"]}>
      {target === undefined ? (
        text
      ) : (
        <a href={target} title={target} target="_blank" rel="noreferrer">
          {text}
        </a>
      )}{" "}
      {children}
    </div>
  );
}

function targetOf(url: unknown, phoneNumber: unknown): string | undefined {
  if (typeof url === "string" && /^https?:\/\//iu.test(url)) return url;
  return typeof phoneNumber === "string" ? `tel:${phoneNumber}` : undefined;
}
