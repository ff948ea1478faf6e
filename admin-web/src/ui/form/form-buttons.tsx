import { Button, Group } from "@mantine/core";

interface FormButtonsProps {
  submit: string;
  isPending: boolean;
  /** Absent where there is nothing to go back to. */
  onCancel?: (() => void) | undefined;
}

/** What a form in a dialog ends with. */
export function FormButtons({ submit, isPending, onCancel }: FormButtonsProps) {
  return (
    <Group justify="flex-end" gap="sm">
      {onCancel !== undefined && (
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
      )}
      <Button type="submit" loading={isPending}>
        {submit}
      </Button>
    </Group>
  );
}
