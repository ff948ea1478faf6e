import { type Command, Option } from "commander";
import { typeLanguages } from "shared/core/fields/types";
import texts from "./commands.json" with { type: "json" };
import { dev, listen } from "./listen.ts";
import { explain, log, resend, tail } from "./log.ts";
import { plan, types } from "./past.ts";
import { login, sendEvent as send } from "./send.ts";
import { apply, check, diff, exportSetup, promote } from "./setup.ts";

interface OptionText {
  flags: string;
  description: string;
  default?: string;
  mandatory?: boolean;
}

interface CommandText {
  usage: string;
  description: string;
  /** Options that several commands have, before its own. */
  groups?: string[];
  options?: OptionText[];
  /** Stands before the examples. */
  note?: string;
  examples: string[];
}

const actions = { login, send, tail, log, explain, resend, export: exportSetup, check, diff, apply, promote, plan, types, listen, dev };
const groups: Readonly<Record<string, OptionText[]>> = texts.groups;
const choices: Readonly<Record<string, readonly string[]>> = { "--language <language>": typeLanguages };

/** Adds every command of the table. */
export function addCommands(program: Command): void {
  for (const [name, text] of Object.entries<CommandText>(texts.commands)) {
    const command = program
      .command(text.usage)
      .description(text.description)
      .action(actions[name as keyof typeof texts.commands]);
    for (const one of [...(text.groups ?? []).flatMap((group) => groups[group] ?? []), ...(text.options ?? [])]) {
      const option = new Option(one.flags, one.description).default(one.default).makeOptionMandatory(one.mandatory === true);
      command.addOption(one.flags in choices ? option.choices(choices[one.flags] ?? []) : option);
    }
    const examples = `Example${text.examples.length > 1 ? "s" : ""}:\n  ${text.examples.join("\n  ")}`;
    command.addHelpText("after", `\n${text.note === undefined ? "" : `${text.note}\n\n`}${examples}`);
  }
}
