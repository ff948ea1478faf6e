import { useEffect } from "react";
import { countNews, type Rows, takeNews, updateRows } from "./merge-news.ts";

interface NewsOptions<Row> {
  /** Undefined until the first of them have come. */
  shown: Rows<Row> | undefined;
  /** What was looked for last. */
  newest: Rows<Row> | undefined;
  /** The rows must not move. */
  isHeld: boolean;
  /** Puts other rows in place of what is shown. The same function until the list is another. */
  show: (change: (shown: Rows<Row>) => Rows<Row>) => void;
}

interface News {
  /** How many came and are not shown yet. `more`: at least so many. */
  waiting: { count: number; more: boolean };
  /** Shows them in any case. */
  take: () => void;
}

/** Takes what is new into a list, or has it wait while the rows are held; what is shown changes in its place. An empty list holds nothing. */
export function useNews<Row extends { id: string }>({ shown, newest, isHeld, show }: NewsOptions<Row>): News {
  const holds = isHeld && (shown?.items.length ?? 0) > 0;
  useEffect(() => {
    if (newest !== undefined) show((rows) => (holds ? updateRows(rows, newest) : takeNews(rows, newest)));
  }, [newest, holds, show]);
  const waiting = holds && shown !== undefined && newest !== undefined ? countNews(shown, newest) : { count: 0, more: false };
  const take = () => {
    if (newest !== undefined) show((rows) => takeNews(rows, newest));
  };
  return { waiting, take };
}
