import { UnstyledButton } from "@mantine/core";
import { useEffect, useRef } from "react";
import type { PaletteEntry, PaletteGroup } from "./palette-entry.ts";
import classes from "./palette.module.css";

interface PaletteListProps {
  id: string;
  groups: PaletteGroup[];
  active: PaletteEntry | undefined;
  onHover: (id: string) => void;
  onRun: (entry: PaletteEntry) => void;
}

export const optionId = (list: string, { id }: PaletteEntry): string => `${list}-${id}`;

/** The entries under their groups. The focus stays in the field above: the active one is told to screen readers from there. */
export function PaletteList({ id, groups, active, onHover, onRun }: PaletteListProps) {
  return (
    <div role="listbox" id={id} aria-label="Results" className={classes["list"]}>
      {groups.map(({ label, entries }) => (
        <div key={label} role="group" aria-label={label}>
          <div className={classes["group"]} aria-hidden>
            {label}
          </div>
          {entries.map((entry) => (
            <PaletteOption
              key={entry.id}
              id={optionId(id, entry)}
              entry={entry}
              isActive={entry === active}
              onHover={() => onHover(entry.id)}
              onRun={() => onRun(entry)}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

interface PaletteOptionProps {
  id: string;
  entry: PaletteEntry;
  isActive: boolean;
  onHover: () => void;
  onRun: () => void;
}

function PaletteOption({ id, entry: { label, hint, icon: Icon }, isActive, onHover, onRun }: PaletteOptionProps) {
  const option = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isActive) option.current?.scrollIntoView({ block: "nearest" });
  }, [isActive]);
  return (
    <UnstyledButton
      ref={option}
      role="option"
      id={id}
      tabIndex={-1}
      aria-selected={isActive}
      className={classes["option"]}
      onMouseDown={(event) => event.preventDefault()}
      onMouseMove={onHover}
      onClick={onRun}
    >
      <Icon size={18} stroke={1.75} aria-hidden />
      <span className={classes["label"]}>{label}</span>
      {hint !== undefined && <span className={classes["hint"]}>{hint}</span>}
    </UnstyledButton>
  );
}
