import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute } from '@tanstack/react-router'
import { ApiExample, type Example } from '../../../app/api-example/api-example.tsx'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { ListPlaceholder, ListProblem } from '../../../app/paging/paged-list.tsx'
import { SectionHead } from '../parts/section-head.tsx'
import { OrganizationForm } from './organization-form.tsx'

export const organizationPage = createLazyRoute('/signed-in/o/$organization/settings/organization')({
  component: OrganizationPage,
})

function OrganizationPage() {
  const { t } = useLingui()
  const { id, client } = useOrganization()
  const settings = useQuery({
    queryKey: ['o', id, 'organization'],
    queryFn: ({ signal }) => client.organization.read({ signal }),
  })
  return (
    <>
      <SectionHead title={t`Organization`}>
        {t`Name and default settings of this organization. Its ID is ${id}; every API request contains it.`}
      </SectionHead>
      {settings.isPending && <ListPlaceholder />}
      {settings.error && <ListProblem error={settings.error} onRetry={() => void settings.refetch()} />}
      {settings.data && <OrganizationForm key={settings.data.etag} settings={settings.data} />}
      <OrganizationApi />
    </>
  )
}

function OrganizationApi() {
  const { t } = useLingui()
  const { can } = useOrganization()
  const body = { trash_days: 14, default_resolutions: ['360p', '720p', '1080p'] }
  const read: Example = { title: t`Read the settings`, request: 'GET /organization/', sdk: 'organization.read' }
  const update: Example = {
    title: t`Change settings`,
    request: 'PATCH /organization/',
    body,
    sdk: 'organization.update',
    args: [body],
  }
  return <ApiExample examples={can('organization:write') ? [read, update] : [read]} />
}
