// Runs commands of a program one after the other in one process, as starting Node takes longer than most of them: each begins with a fresh evaluation of the
// program's own module, with its own arguments and environment, and is told with its exit code and output.
const [, , program] = process.argv;
const write = { stdout: process.stdout.write.bind(process.stdout), stderr: process.stderr.write.bind(process.stderr) };
let count = 0;

process.on("message", async ({ args, env }) => {
  const done = { code: 0, out: "", err: "" };
  for (const [name, member] of [
    ["stdout", "out"],
    ["stderr", "err"],
  ])
    process[name].write = (text, ...more) => {
      done[member] += text;
      more.find((each) => typeof each === "function")?.();
      return true;
    };
  process.argv = [process.execPath, program, ...args];
  process.env = env;
  process.exitCode = undefined;
  await import(`${program}?${(count += 1)}`).catch((error) => {
    done.err += String(error?.stack ?? error);
    process.exitCode = 1;
  });
  done.code = process.exitCode ?? 0;
  Object.assign(process.stdout, { write: write.stdout });
  Object.assign(process.stderr, { write: write.stderr });
  process.exitCode = undefined;
  process.send(done);
});
process.on("disconnect", () => process.exit());
