import tab from "@bomb.sh/tab/commander";
import { Command, CommanderError } from "commander";
import { Failed } from "./connection.ts";
import { addLog } from "./log.ts";
import { addSend } from "./send.ts";
import { addSetup } from "./setup.ts";
import { showFailure } from "./show.ts";

const program = new Command("tidings")
  .description("Sends events, reads the log and keeps an account's set-up in a file, by the admin API.")
  .showHelpAfterError("Add --help for what there is.")
  .configureOutput({ outputError: (text, write) => write(text) })
  .exitOverride();

addSend(program);
addLog(program);
addSetup(program);
for (const command of program.commands) command.option("--json", "print JSON").copyInheritedSettings(program);
tab(program, { completionCommandName: "complete" });

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    const isKnown = error instanceof Error && ["Failed", "WrongUsage"].includes(error.name);
    if (!isKnown) throw error;
    showFailure(error, process.argv.includes("--json"));
    process.exitCode = error instanceof Failed ? 1 : 2;
  }
}
