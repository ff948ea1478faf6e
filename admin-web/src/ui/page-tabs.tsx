import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { t } from "../language.ts";
import classes from "./ui.module.css";

interface PageTabsProps<Name extends string> {
  tabs: readonly { name: Name; label: string }[];
  open: Name;
  /** Lists of what belongs to the object, and the search that names it. */
  lists?: readonly { to: string; label: string }[];
  search?: object;
}

/** The subjects of an object with more than two. The open one is the search parameter `tab`. */
export function PageTabs<Name extends string>({ tabs, open, lists = [], search }: PageTabsProps<Name>) {
  const bar = useRef<HTMLElement>(null);
  // In narrow windows the open one may stand beyond the edge.
  useEffect(() => {
    bar.current?.querySelector("[aria-current=page]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [open]);
  return (
    <nav ref={bar} aria-label={t("Sections")} className={classes["tabs"]}>
      {tabs.map(({ name, label }) => (
        <Link
          key={name}
          to="."
          search={((now: object) => ({ ...now, open: undefined, tab: name })) as never}
          resetScroll={false}
          className={classes["tab"]}
          aria-current={name === open ? "page" : false}
        >
          {label}
        </Link>
      ))}
      {lists.map(({ to, label }) => (
        <Link key={to} to={to} search={search as never} className={classes["tab"]}>
          {label}
        </Link>
      ))}
    </nav>
  );
}
