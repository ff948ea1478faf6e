import { Button, Text } from "@mantine/core";
import type { Editing } from "./use-editing.ts";
import classes from "./template-editor.module.css";

/** What may be done with the template, at hand wherever one is in the form. */
export function EditorBar({ editing, isStored }: { editing: Editing; isStored: boolean }) {
  const { attempt, running, isUnsaved } = editing;
  return (
    <div className={classes["bar"]}>
      <Text size="sm" c="dimmed" className={classes["state"] ?? ""} role="status">
        {isUnsaved() || !isStored ? "Not saved yet" : "Saved as it stands here"}
      </Text>
      <Button type="submit" variant="default" loading={running === "save"} disabled={running === "submit"}>
        Save draft
      </Button>
      <Button loading={running === "submit"} disabled={running === "save"} onClick={() => attempt("submit")}>
        {isUnsaved() || !isStored ? "Save and submit" : "Submit"}
      </Button>
    </div>
  );
}
