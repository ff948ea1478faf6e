import { Link } from "@tanstack/react-router";
import { type KeyboardEvent, memo, type MouseEvent } from "react";
import { paths } from "../../../paths.ts";
import { Moment } from "../../../ui/moment.tsx";
import { reasonWords } from "../../../ui/reason-words.ts";
import { StatusBadge } from "../../../ui/status-badge.tsx";
import { changeLogSearch } from "../log-search.ts";
import type { LogRow } from "./use-log.ts";
import classes from "./log-table.module.css";

interface LogTableRowProps {
  row: LogRow;
  site: string;
  index: number;
  /** In pixels, from the first row's. */
  top: number;
  /** Whether Tab leads here. */
  isActive: boolean;
  isOpen: boolean;
  onFocus: (id: string) => void;
}

/** A click anywhere follows its link; the link itself can be opened in another tab too. */
export const LogTableRow = memo(function LogTableRow({ row, site, index, top, isActive, isOpen, onFocus }: LogTableRowProps) {
  const { id, createdAt, status, toPhone, event, template, language } = row;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isOpen}
      tabIndex={isActive ? 0 : -1}
      className={`${classes["columns"]} ${classes["row"]}`}
      style={{ transform: `translateY(${top}px)` }}
      onFocus={() => onFocus(id)}
      onClick={onClick}
      onKeyDown={onKeyDown}
    >
      <div role="gridcell" data-column="Time">
        <Moment at={createdAt} seconds />
      </div>
      <div role="gridcell" data-column="Status">
        <StatusBadge status={status} />
      </div>
      <div role="gridcell" data-column="To">
        <Link to={paths.log} search={changeLogSearch({ open: id })} resetScroll={false} tabIndex={-1} className={classes["link"]}>
          {toPhone}
        </Link>
      </div>
      <div role="gridcell" data-column="Event" title={event}>
        {event}
      </div>
      <div role="gridcell" data-column="Site" title={site}>
        {site}
      </div>
      <div role="gridcell" data-column="Template" title={`${template} (${language})`}>
        {template} <span className={classes["quiet"]}>{language}</span>
      </div>
      <WhatHappened {...row} />
    </div>
  );
});

/** Not for a click on the link itself, nor for one that ends the marking of a text. */
function onClick({ target, currentTarget }: MouseEvent<HTMLElement>): void {
  const isOnLink = target instanceof Element && target.closest("a") !== null;
  if (!isOnLink && window.getSelection()?.isCollapsed !== false) followLink(currentTarget);
}

function onKeyDown({ key, target, currentTarget }: KeyboardEvent<HTMLElement>): void {
  if (key === "Enter" && target === currentTarget) followLink(currentTarget);
}

const followLink = (row: HTMLElement) => row.querySelector("a")?.click();

function WhatHappened({ status, errorReason, errorCode, explanation, noNews, resentAs, resendOf }: LogRow) {
  // The platform's own words are for its support; ours name the slot or the template that was at fault.
  const why = /^\d/u.test(errorCode ?? "") ? explanation?.text : errorReason && reasonWords(errorReason);
  const texts = [
    status === "failed" ? (why ?? errorCode) : null,
    noNews ? "no word of it since: dropped, as far as can be told" : null,
    resendOf === null ? null : "a resend",
    resentAs === null ? null : "sent again",
  ];
  const text = texts.filter((each) => each !== null).join("; ");
  return (
    <div role="gridcell" data-column="What happened" data-failed={status === "failed" && resentAs === null} title={text}>
      {text}
    </div>
  );
}
