import { useLingui } from '@lingui/react/macro'
import { createLazyRoute } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiExample, type Example } from '../../../app/api-example/api-example.tsx'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { PagedList } from '../../../app/paging/paged-list.tsx'
import { usePages } from '../../../app/paging/use-pages.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyList } from '../../../ui/data/empty-list.tsx'
import { icons } from '../../../ui/icons.tsx'
import { SectionHead } from '../parts/section-head.tsx'
import { KeyRow } from './key-row.tsx'
import { NewKeyDialog } from './new-key-dialog.tsx'

export const keysPage = createLazyRoute('/signed-in/o/$organization/settings/signing-keys')({ component: KeysPage })

function KeysPage() {
  const { t } = useLingui()
  const { client, can } = useOrganization()
  const [isCreating, setIsCreating] = useState(false)
  const pages = usePages(['signing-keys'], (cursor, options) => client.signingKeys.list(cursor, options))
  const create = can('keys:write') && (
    <Button look="primary" icon={icons.plus} onClick={() => setIsCreating(true)}>
      {t`Create a key`}
    </Button>
  )
  return (
    <>
      <SectionHead title={t`Signing keys`} action={create}>
        {t`With a key, your own server signs playback tokens for your viewers, without a request to this service.`}
      </SectionHead>
      <PagedList
        label={t`Signing keys`}
        pages={pages}
        row={(key) => <KeyRow key={key.id} signingKey={key} />}
        empty={
          <EmptyList icon={icons.key} title={t`There are no signing keys yet`}>
            {t`Create a key if your own website decides who can watch a video.`}
          </EmptyList>
        }
      />
      <KeysApi />
      {isCreating && <NewKeyDialog onClose={() => setIsCreating(false)} />}
    </>
  )
}

function KeysApi() {
  const { t } = useLingui()
  const { can } = useOrganization()
  const body = { name: 'Website' }
  const list: Example = { title: t`List signing keys`, request: 'GET /signing-keys/', sdk: 'signingKeys.list' }
  const changes: readonly Example[] = [
    { title: t`Create a key`, request: 'POST /signing-keys/', body, sdk: 'signingKeys.create', args: [body] },
    { title: t`Delete a key`, request: 'DELETE /signing-keys/KEY_ID/', sdk: 'signingKeys.delete', args: ['KEY_ID'] },
  ]
  return <ApiExample examples={can('keys:write') ? [list, ...changes] : [list]} />
}
