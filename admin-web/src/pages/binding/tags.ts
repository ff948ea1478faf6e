export { TagsInput as default } from "@mantine/core";
