import { Button } from "@mantine/core";
import classes from "./news-pill.module.css";

interface NewsPillProps {
  count: number;
  /** There are at least so many. */
  more: boolean;
  onShow: () => void;
}

/** Says that newer messages wait on top, and leads there. */
export function NewsPill({ count, more, onShow }: NewsPillProps) {
  return (
    <div className={classes["place"]} role="status">
      {count > 0 && (
        <Button size="compact-sm" radius="xl" className={classes["pill"] ?? ""} onClick={onShow}>
          {count}
          {more && "+"} new
        </Button>
      )}
    </div>
  );
}
