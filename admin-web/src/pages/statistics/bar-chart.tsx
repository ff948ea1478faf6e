import { formatCount } from "../../format.ts";
import { t } from "../../language.ts";
import { Rich } from "../../ui/rich.tsx";
import classes from "./statistics.module.css";

interface Bar {
  key: string;
  name: string;
  sent: number;
  failed: number;
}

/** The first bars are drawn; the table has all. */
const mostBars = 31;
const width = 1000;
const height = 220;
const foot = 22;

/** A bar each, of what was sent and, on top, what failed. Screen readers get the table. */
export function BarChart({ label, bars }: { label: string; bars: readonly Bar[] }) {
  const shown = bars.slice(0, mostBars);
  const most = Math.max(1, ...shown.map(({ sent, failed }) => sent + failed));
  const step = width / shown.length;
  const scale = (count: number): number => (count / most) * (height - foot - 12);
  return (
    <>
      <div className={classes["scroll"]} tabIndex={0} role="group" aria-label={t("Chart")}>
        <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label} className={classes["chart"]}>
          <line x1={0} x2={width} y1={height - foot} y2={height - foot} className={classes["axis"]} />
          {shown.map(({ key, name, sent, failed }, index) => {
            const [x, wide] = [index * step + step * 0.15, Math.min(step * 0.7, 60)];
            const base = height - foot;
            return (
              <g key={key}>
                <title>{t("{name}: {sent} sent, {failed} failed", { name, sent: formatCount(sent), failed: formatCount(failed) })}</title>
                <rect x={x} y={base - scale(sent)} width={wide} height={scale(sent)} className={classes["sent"]} />
                <rect x={x} y={base - scale(sent + failed)} width={wide} height={scale(failed)} className={classes["failed"]} />
                <text x={x} y={height - 6} className={classes["name"]}>
                  {shorten(name, step)}
                </text>
              </g>
            );
          })}
        </svg>
      </div>
      <p className={classes["legend"]} aria-hidden>
        <Rich
          text={t("<0/> Sent <1/> Failed{value}", {
            value: bars.length > mostBars && t(". The {mostBars} largest are drawn.", { mostBars }),
          })}
        >
          <span className={classes["sentSwatch"]} />
          <span className={classes["failedSwatch"]} />
        </Rich>
      </p>
    </>
  );
}

/** As much of a name as has room below its bar. */
function shorten(name: string, room: number): string {
  const letters = Math.floor(room / 8);
  if (letters < 3) return "";
  return name.length <= letters ? name : `${name.slice(0, letters - 1)}…`;
}
