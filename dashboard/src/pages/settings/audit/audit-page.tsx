import { useLingui } from '@lingui/react/macro'
import { createLazyRoute } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiExample, type Example } from '../../../app/api-example/api-example.tsx'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { PagedList } from '../../../app/paging/paged-list.tsx'
import { usePages } from '../../../app/paging/use-pages.ts'
import { LinkButton } from '../../../ui/button.tsx'
import { EmptyList } from '../../../ui/data/empty-list.tsx'
import { icons } from '../../../ui/icons.tsx'
import { SectionHead } from '../parts/section-head.tsx'
import { AuditFilters, auditQuery, noFilters } from './audit-filters.tsx'
import { AuditHeadCard } from './audit-head-card.tsx'
import { AuditRow } from './audit-row.tsx'

export const auditPage = createLazyRoute('/signed-in/o/$organization/settings/audit')({ component: AuditPage })

function AuditPage() {
  const { t } = useLingui()
  const { id, client } = useOrganization()
  const [filters, setFilters] = useState(noFilters)
  const query = auditQuery(filters)
  const pages = usePages(['audit', query], (cursor, options) => client.audit.list({ ...query, ...cursor }, options))
  const { created_after: after, created_before: before } = query
  const range = new URLSearchParams({
    ...(after && { created_after: after }),
    ...(before && { created_before: before }),
  })
  const save = (
    <LinkButton icon={icons.download} href={`/api/v1/${id}/audit/export/?${range}`} download={`audit-log-${id}.ndjson`}>
      {t`Export`}
    </LinkButton>
  )
  return (
    <>
      <SectionHead title={t`Audit log`} action={save}>
        {t`All changes, refused requests and reads of secrets, each with the person or token. Entries cannot be changed or deleted. The export contains all entries of the selected days.`}
      </SectionHead>
      <AuditFilters filters={filters} onChange={setFilters} />
      <PagedList
        label={t`Audit log`}
        pages={pages}
        row={(entry) => (
          <AuditRow key={entry.number} entry={entry} onFilter={(chosen) => setFilters({ ...filters, ...chosen })} />
        )}
        empty={
          <EmptyList icon={icons.list} title={t`No entries found`}>
            {t`Change the filters to see other entries.`}
          </EmptyList>
        }
      />
      <AuditHeadCard />
      <AuditApi />
    </>
  )
}

function AuditApi() {
  const { t } = useLingui()
  const examples: readonly Example[] = [
    {
      title: t`List refused requests`,
      request: 'GET /audit/?outcome=refused',
      sdk: 'audit.list',
      args: [{ outcome: 'refused' }],
    },
    { title: t`Export all entries`, request: 'GET /audit/export/', sdk: 'audit.export' },
    { title: t`Read the fingerprint`, request: 'GET /audit/head/', sdk: 'audit.readHead' },
  ]
  return <ApiExample examples={examples} />
}
