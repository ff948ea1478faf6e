/** What a person has to put right before the program can start: one line a problem, printed as it is, without a stack. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join("\n"), options);
    this.problems = problems;
  }
}
