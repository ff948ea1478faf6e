import { Button, Group, Text, TextInput, type TextInputProps } from "@mantine/core";
import IconCheck from "@tabler/icons-react/dist/esm/icons/IconCheck.mjs";
import { useState } from "react";
import { phoneValue, readPhone } from "./read-phone.ts";

interface PhoneInputProps extends Omit<TextInputProps, "value" | "defaultValue" | "onChange"> {
  defaultValue?: string;
  /** Told the number alone as soon as it is whole, else what was typed. */
  onChange?: (phone: string) => void;
}

/** A phone number, read as it is typed: it says what is missing, and offers the correction where there is one. */
export function PhoneInput({ defaultValue = "", onChange, ...props }: PhoneInputProps) {
  const [text, setText] = useState(defaultValue);
  const reading = readPhone(text);
  const isWanting = reading.is === "near" || reading.is === "unfinished";
  const write = (next: string) => {
    setText(next);
    onChange?.(phoneValue(next));
  };
  return (
    <div>
      <TextInput
        type="tel"
        autoComplete="off"
        placeholder="+491701234567"
        rightSection={reading.is === "whole" && <IconCheck size={16} color="var(--mantine-color-anchor)" aria-hidden />}
        {...props}
        value={text}
        onChange={(event) => write(event.currentTarget.value)}
      />
      <Group gap="xs" mt={isWanting ? 4 : 0} aria-live="polite">
        {isWanting && (
          <Text size="xs" c="dimmed">
            {reading.reason}
          </Text>
        )}
        {reading.is === "near" && (
          <Button variant="light" size="compact-xs" onClick={() => write(reading.suggestion)}>
            Use {reading.suggestion}
          </Button>
        )}
      </Group>
    </div>
  );
}
