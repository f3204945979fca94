import { useLingui } from '@lingui/react/macro'
import type { UsagePeriod } from 'reelkeep'
import { dateFormat, numberFormat } from '../../../app/texts/formats.ts'
import { sizeText } from '../../library/assets/formats.ts'
import { BarChart } from './bar-chart.tsx'

/** Charts of storage, delivery, encoding and requests. */
export function UsageCharts({ periods }: { readonly periods: readonly UsagePeriod[] }) {
  const { t, i18n } = useLingui()
  const number = (value: number) => numberFormat(i18n.locale, { maximumFractionDigits: 1 }).format(value)
  const size = (value: number) => sizeText(value, i18n.locale)
  const bars = (read: (period: UsagePeriod) => number) =>
    periods.map((period) => ({ label: periodText(period.period, i18n.locale), value: read(period) }))
  const sum = (read: (period: UsagePeriod) => number) => periods.reduce((total, period) => total + read(period), 0)
  const last = periods.at(-1)
  const stored = size(last?.stored_bytes ?? 0)
  const [sources, renditions] = [size(last?.source_bytes ?? 0), size(last?.rendition_bytes ?? 0)]
  const watched = number(sum((period) => period.delivered_minutes))
  const delivered = size(sum((period) => period.delivered_bytes))
  const encoded = number(sum((period) => period.encoded_minutes))
  const requests = number(sum((period) => period.api_requests))
  return (
    <>
      <BarChart
        title={t`Storage`}
        summary={t`${stored} now: ${sources} uploaded files and ${renditions} renditions.`}
        bars={bars((period) => period.stored_bytes)}
        text={size}
      />
      <BarChart
        title={t`Delivered data`}
        summary={t`${delivered} in this period.`}
        bars={bars((period) => period.delivered_bytes)}
        text={size}
      />
      <BarChart
        title={t`Minutes watched`}
        summary={t`${watched} minutes in this period.`}
        bars={bars((period) => period.delivered_minutes)}
        text={number}
      />
      <BarChart
        title={t`Minutes encoded`}
        summary={t`${encoded} minutes in this period.`}
        bars={bars((period) => period.encoded_minutes)}
        text={number}
      />
      <BarChart
        title={t`API requests`}
        summary={t`${requests} requests in this period.`}
        bars={bars((period) => period.api_requests)}
        text={number}
      />
    </>
  )
}

/** `2026-11-18` or `2026-11` in the user's language. */
function periodText(period: string, language: string): string {
  const isMonth = period.length === '2026-11'.length
  const options = isMonth
    ? ({ month: 'short', year: 'numeric' } as const)
    : ({ day: 'numeric', month: 'short' } as const)
  return dateFormat(language, { ...options, timeZone: 'UTC' }).format(new Date(period))
}
