/** A file that runs before a program: each SIGUSR2 changes its wall clock. The monotonic clock goes on, as it does when a machine's time is set. */
const hour = 3_600_000;
const jumps = [hour, -hour, 0];
const RealDate = Date;
let offset = 0;

class JumpingDate extends RealDate {
  constructor(...given: [] | [number]) {
    super(...(given.length === 0 ? ([RealDate.now() + offset] as const) : given));
  }
  static override now(): number {
    return RealDate.now() + offset;
  }
}

Object.assign(globalThis, { Date: JumpingDate });
process.on("SIGUSR2", () => {
  offset = jumps.shift() ?? 0;
});
