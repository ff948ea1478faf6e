import { Switch, Text } from "@mantine/core";
import type { ReactNode, Ref } from "react";
import classes from "./live-head.module.css";

interface LiveHeadProps {
  ref: Ref<HTMLDivElement>;
  isLive: boolean;
  onLive: (isLive: boolean) => void;
  /** The connection that tells what is new went. */
  isLost: boolean;
  children?: ReactNode;
}

/** Stands above a list that shows what comes. */
export function LiveHead({ ref, isLive, onLive, isLost, children }: LiveHeadProps) {
  return (
    <div className={classes["head"]} ref={ref}>
      {children}
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
