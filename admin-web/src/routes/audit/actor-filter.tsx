import { Autocomplete } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useState } from "react";
import { trpc } from "../../trpc.ts";

const typingPauseMs = 300;

/** Whose changes are shown. What is typed is the field's own, and told after a pause; cleared from outside, it is empty. */
export function ActorFilter({ actor, onChange }: { actor: string | undefined; onChange: (actor: string) => void }) {
  const people = trpc.users.list.useQuery({ limit: 200 }, { staleTime: 60_000 });
  const changeSoon = useDebouncedCallback(onChange, typingPauseMs);
  const [text, setText] = useState(actor ?? "");
  const [told, setTold] = useState(actor);
  if (actor !== told) {
    setTold(actor);
    if (actor === undefined) setText("");
  }
  return (
    <Autocomplete
      label="Who"
      placeholder="E-mail address"
      data={people.data?.items.map(({ email }) => email) ?? []}
      value={text}
      onChange={(typed) => {
        setText(typed);
        changeSoon(typed);
      }}
    />
  );
}
