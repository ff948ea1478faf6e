import { Kbd, Text } from "@mantine/core";
import classes from "./row-keys-hint.module.css";

export function RowKeysHint() {
  return (
    <Text size="xs" c="dimmed" className={classes["keys"] ?? ""}>
      <Kbd size="xs">J</Kbd> <Kbd size="xs">K</Kbd> to move, <Kbd size="xs">Enter</Kbd> to open, <Kbd size="xs">Esc</Kbd> to close
    </Text>
  );
}
