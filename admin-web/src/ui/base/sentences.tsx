import { List, type ListProps } from "@mantine/core";
import type { ReactNode } from "react";

/** Sentences one below the other, with bullets or numbers; what is no sentence is left out. */
export const Sentences = ({ of, ...list }: ListProps & { of: readonly ReactNode[] }) => (
  <List {...list}>
    {of.filter(Boolean).map((sentence, index) => (
      <List.Item key={index}>{sentence}</List.Item>
    ))}
  </List>
);
