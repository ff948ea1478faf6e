import { Group, TextInput, type TextInputProps } from "@mantine/core";
import { CopyButton } from "./copy-button.tsx";

interface CopyFieldProps extends Omit<TextInputProps, "value" | "readOnly"> {
  label: string;
  value: string;
}

/** A text to be taken from the page whole: marked at a click, copied by a button. */
export function CopyField({ label, value, ...props }: CopyFieldProps) {
  return (
    <Group gap="sm" align="flex-end">
      <TextInput
        label={label}
        readOnly
        value={value}
        flex="1 1 12rem"
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: "0.8125rem" } }}
        onFocus={(event) => event.currentTarget.select()}
        {...props}
      />
      <CopyButton text={value} what={label} />
    </Group>
  );
}
