import type { ReactNode } from "react";
import classes from "./chat-paper.module.css";

/** What a bubble lies on where no whole phone is drawn around it. */
export function ChatPaper({ children }: { children: ReactNode }) {
  return <div className={classes["paper"]}>{children}</div>;
}
