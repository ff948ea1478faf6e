import tab from "@bomb.sh/tab/commander";
import { Command, CommanderError } from "commander";
import { Failed } from "../setup/elsewhere.ts";
import { addCommands } from "./commands.ts";
import { showFailure, write as writeLine, writeJson } from "./show.ts";

const program = new Command("tidings")
  .description("Sends events, reads the log and keeps an account's set-up in a file, by the admin API.")
  .showHelpAfterError("Add --help for what there is.")
  .configureOutput({ outputError: (text, write) => write(text) })
  .exitOverride();

addCommands(program);
for (const command of program.commands) command.option("--json", "print JSON").copyInheritedSettings(program);
tab(program, { completionCommandName: "complete" });
program.commands.at(-1)?.addHelpText("after", "\nExamples:\n  source <(tidings complete bash)\n  source <(tidings complete zsh)");
// The script for bash takes the words of the line from bash-completion, which not every machine has.
if (process.argv.slice(2, 4).join(" ") === "complete bash")
  writeLine(
    'declare -F _get_comp_words_by_ref >/dev/null || _get_comp_words_by_ref() { words=("${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=${words[cword]}; prev=${words[cword > 0 ? cword - 1 : 0]}; }',
  );

// Who reads no further, such as `head`, ends no change that is under way.
process.stdout.on("error", () => undefined);

try {
  await program.parseAsync();
} catch (error) {
  const asJson = process.argv.includes("--json");
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : 2;
    if (asJson && error.exitCode !== 0) writeJson({ error: { code: "WRONG_USAGE", message: error.message.replace(/^error: /, "") } });
  } else {
    const isKnown = error instanceof Error && ["Failed", "WrongUsage"].includes(error.name);
    // Such as the answer of a program that is no admin server.
    const told = isKnown ? error : new Failed(`An answer was not as expected: ${String(error)}`);
    showFailure(told, asJson);
    process.exitCode = told instanceof Failed ? 1 : 2;
  }
}
