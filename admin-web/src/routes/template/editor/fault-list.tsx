import { Alert, Anchor, List, VisuallyHidden } from "@mantine/core";
import type { Fault } from "shared/core/template/check";
import { fieldName } from "./faults.ts";
import classes from "./template-editor.module.css";

interface FaultListProps {
  title: string;
  faults: Fault[];
  /** Those that are still there: the list keeps its height while they are mended, so that the page does not move under who types. */
  left: Fault[];
  onGo: (field: string) => void;
}

/** What is in the way, each leading to its field. */
export function FaultList({ title, faults, left, onGo }: FaultListProps) {
  return (
    <Alert color="red" title={title} role="alert">
      <List size="sm" spacing={2}>
        {faults.map(({ field, message }) => {
          const isLeft = left.some((fault) => fault.field === field && fault.message === message);
          return (
            <List.Item key={field + message}>
              <span className={isLeft ? undefined : classes["mended"]}>
                {!isLeft && <VisuallyHidden>Mended: </VisuallyHidden>}
                <Anchor component="button" type="button" size="sm" c="inherit" underline="always" onClick={() => onGo(field)}>
                  {fieldName(field)}
                </Anchor>{" "}
                {message}
              </span>
            </List.Item>
          );
        })}
      </List>
    </Alert>
  );
}
