import { useLingui } from '@lingui/react/macro'
import { Card } from '../../../ui/card.tsx'
import { largestTick } from './chart-scale.ts'
import styles from './usage.module.css'

type Bar = { readonly label: string; readonly value: number }

type Props = {
  readonly title: string
  /** The sum, or the last value, in words. */
  readonly summary: string
  readonly bars: readonly Bar[]
  readonly text: (value: number) => string
}

const HEIGHT = 100
/** Part of the width of a period that its bar takes. */
const BAR_WIDTH = 0.7
const LOWEST_VISIBLE = 0.6

/** Bars by period, with a table of the same values for those who cannot see or point at the bars. */
export function BarChart({ title, summary, bars, text }: Props) {
  const { t } = useLingui()
  const top = largestTick(Math.max(0, ...bars.map(({ value }) => value)))
  return (
    <Card title={title} description={summary}>
      <div className={styles.chart}>
        <span className={styles.top}>{text(top)}</span>
        <span className={styles.bottom}>0</span>
        <svg
          className={styles.plot}
          viewBox={`0 0 ${bars.length} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={t`Chart: ${title}. ${summary}`}
        >
          {bars.map(({ label, value }, index) => {
            const height = value === 0 ? 0 : Math.max(LOWEST_VISIBLE, (value / top) * HEIGHT)
            return (
              <g key={label} className={styles.period}>
                <title>{`${label}: ${text(value)}`}</title>
                <rect className={styles.area} x={index} width="1" height={HEIGHT} />
                <rect
                  className={styles.value}
                  x={index + (1 - BAR_WIDTH) / 2}
                  y={HEIGHT - height}
                  width={BAR_WIDTH}
                  height={height}
                />
              </g>
            )
          })}
        </svg>
        <span className={styles.first}>{bars[0]?.label}</span>
        <span className={styles.last}>{bars.at(-1)?.label}</span>
      </div>
      <ValueTable title={title} bars={bars} text={text} />
    </Card>
  )
}

function ValueTable({ title, bars, text }: Omit<Props, 'summary'>) {
  const { t } = useLingui()
  return (
    <details className={styles.details}>
      <summary>{t`Show as a table`}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: A long table is scrolled with the keyboard. */}
      <section className={styles.scroller} aria-label={t`Table: ${title}`} tabIndex={0}>
        <table className={styles.table}>
          <caption>{title}</caption>
          <thead>
            <tr>
              <th scope="col">{t`Period`}</th>
              <th scope="col">{t`Value`}</th>
            </tr>
          </thead>
          <tbody>
            {bars.map(({ label, value }) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td>{text(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  )
}
