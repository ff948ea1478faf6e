import { TextInput, type TextInputProps } from "@mantine/core";
import { useTypedFilter } from "./use-typed-filter.ts";

interface TextFilterProps extends Omit<TextInputProps, "value" | "onChange"> {
  /** What is filtered by at present. */
  value: string | undefined;
  onChange: (text: string) => void;
}

/** A text to filter by, told when whoever types it pauses. */
export function TextFilter({ value, onChange, ...props }: TextFilterProps) {
  const [text, type] = useTypedFilter(value, onChange);
  return <TextInput type="search" maxLength={500} {...props} value={text} onChange={(event) => type(event.currentTarget.value)} />;
}
