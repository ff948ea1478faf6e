import { Button } from "@mantine/core";
import classes from "./news-pill.module.css";

interface NewsPillProps {
  count: number;
  /** There are at least so many. */
  more: boolean;
  /** One of them, such as `message`. */
  what: string;
  onShow: () => void;
}

/** Says that newer rows wait on top, and leads there. */
export function NewsPill({ count, more, what, onShow }: NewsPillProps) {
  const isOne = count === 1 && !more;
  return (
    <div className={classes["place"]} role="status">
      {count > 0 && (
        <Button size="compact-sm" radius="xl" className={classes["pill"] ?? ""} onClick={onShow}>
          {count}
          {more && "+"} new {isOne ? what : `${what}s`} — show
        </Button>
      )}
    </div>
  );
}
