import { TagsInput, type TagsInputProps } from "@mantine/core";

/** Several texts in one field. */
export const Tags = (props: TagsInputProps) => <TagsInput {...props} />;
