import { useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createLazyRoute } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiExample, type Example } from '../../../app/api-example/api-example.tsx'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { ListPlaceholder, ListProblem } from '../../../app/paging/paged-list.tsx'
import styles from '../parts/parts.module.css'
import { SectionHead } from '../parts/section-head.tsx'
import { QuotasCard } from './quotas-card.tsx'
import { type Range, rangeQuery } from './ranges.ts'
import { UsageCharts } from './usage-charts.tsx'

export const usagePage = createLazyRoute('/signed-in/o/$organization/settings/usage')({ component: UsagePage })

function UsagePage() {
  const { t } = useLingui()
  const { id, client } = useOrganization()
  const [range, setRange] = useState<Range>('30')
  const usage = useQuery({
    queryKey: ['o', id, 'usage', range],
    queryFn: ({ signal }) => client.usage.read(rangeQuery(range, new Date()), { signal }),
    placeholderData: keepPreviousData,
  })
  const choice = (
    <select
      className={styles.filter}
      aria-label={t`Period`}
      value={range}
      onChange={({ target }) => setRange(target.value as Range)}
    >
      <option value="30">{t`Last 30 days`}</option>
      <option value="90">{t`Last 90 days`}</option>
      <option value="year">{t`Last 12 months`}</option>
    </select>
  )
  const example: Example = {
    title: t`Read the usage by day`,
    request: 'GET /usage/?by=day',
    sdk: 'usage.read',
    args: [{ by: 'day' }],
  }
  return (
    <>
      <SectionHead title={t`Usage`} action={choice}>
        {t`Storage, encoding and delivery of the organization. Days are in UTC.`}
      </SectionHead>
      {usage.isPending && <ListPlaceholder />}
      {usage.error && <ListProblem error={usage.error} onRetry={() => void usage.refetch()} />}
      {usage.data && (
        <>
          <QuotasCard quotas={usage.data.quotas} />
          <UsageCharts periods={usage.data.results} />
        </>
      )}
      <ApiExample examples={[example]} />
    </>
  )
}
