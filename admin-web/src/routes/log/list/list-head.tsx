import { Kbd, Switch, Text } from "@mantine/core";
import type { Ref } from "react";
import classes from "./list-head.module.css";

interface ListHeadProps {
  ref: Ref<HTMLDivElement>;
  isLive: boolean;
  onLive: (isLive: boolean) => void;
  /** The connection that tells what is new went. */
  isLost: boolean;
}

export function ListHead({ ref, isLive, onLive, isLost }: ListHeadProps) {
  return (
    <div className={classes["head"]} ref={ref}>
      <Text size="xs" c="dimmed" className={classes["keys"] ?? ""}>
        <Kbd size="xs">J</Kbd> <Kbd size="xs">K</Kbd> to move, <Kbd size="xs">Enter</Kbd> to open, <Kbd size="xs">Esc</Kbd> to close
      </Text>
      <Text size="sm" role="status" className={classes["lost"] ?? ""}>
        {isLost && "Connection lost, trying again…"}
      </Text>
      <Switch
        label="Live"
        labelPosition="left"
        size="sm"
        checked={isLive}
        onChange={(event) => onLive(event.currentTarget.checked)}
        data-state={isLost ? "lost" : undefined}
      />
    </div>
  );
}
