import type { ReactNode } from "react";
import classes from "./phone-frame.module.css";

/** A phone that shows how a message would look, as high as the message. */
export function PhonePreview({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className={`${classes["phone"]} ${classes["still"]}`}>
      <div className={classes["bar"]}>{title}</div>
      <div className={classes["chat"]}>{children}</div>
    </div>
  );
}
