import { List, type ListProps } from "@mantine/core";
import type { ReactNode } from "react";

/** Sentences one below the other, with bullets or numbers. */
export const Sentences = ({ of, ...list }: ListProps & { of: readonly ReactNode[] }) => (
  <List {...list}>
    {of.map((sentence, index) => (
      <List.Item key={index}>{sentence}</List.Item>
    ))}
  </List>
);
