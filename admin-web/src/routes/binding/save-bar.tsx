import { Anchor, Button, Group, Switch, Text } from "@mantine/core";
import { previewId } from "./side-by-side.tsx";
import type { BindingForm } from "./use-binding-form.ts";
import classes from "./save-bar.module.css";

/** What a long form ends with, always in sight. `action`: what its button does. */
export function SaveBar({ form, action }: { form: BindingForm; action: string }) {
  const isFaulty = Object.keys(form.faults).length > 0;
  return (
    <Group justify="space-between" gap="sm" className={classes["bar"] ?? ""}>
      <Switch
        label="Switched on"
        checked={form.draft.enabled}
        onChange={({ currentTarget }) => form.change({ enabled: currentTarget.checked })}
      />
      <Anchor href={`#${previewId}`} size="sm" underline="always" className={classes["jump"] ?? ""}>
        Preview
      </Anchor>
      <Group gap="sm">
        <Text size="sm" role="status" className={classes["status"] ?? ""} c={isFaulty ? "var(--mantine-color-error)" : "dimmed"}>
          {isFaulty && "Not saved: see the fields in red"}
          {form.isSaved && "Saved"}
        </Text>
        <Button type="submit" loading={form.isSaving} disabled={!form.maySave}>
          {action}
        </Button>
      </Group>
    </Group>
  );
}
