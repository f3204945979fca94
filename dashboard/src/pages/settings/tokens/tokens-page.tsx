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
import { NewTokenDialog } from './new-token-dialog.tsx'
import { TokenRow } from './token-row.tsx'

export const tokensPage = createLazyRoute('/signed-in/o/$organization/settings/tokens')({ component: TokensPage })

function TokensPage() {
  const { t } = useLingui()
  const { client, can } = useOrganization()
  const [isCreating, setIsCreating] = useState(false)
  const pages = usePages(['tokens'], (cursor, options) => client.tokens.list(cursor, options))
  const create = can('tokens:write') && (
    <Button look="primary" icon={icons.plus} onClick={() => setIsCreating(true)}>
      {t`Create a token`}
    </Button>
  )
  return (
    <>
      <SectionHead title={t`API tokens`} action={create}>
        {t`Programs use tokens to call the API. Give each program its own token, with only the permissions that it needs.`}
      </SectionHead>
      <PagedList
        label={t`API tokens`}
        pages={pages}
        row={(token) => <TokenRow key={token.id} token={token} />}
        empty={
          <EmptyList icon={icons.code} title={t`There are no API tokens yet`}>
            {t`Create a token to upload, search or share videos from your own programs.`}
          </EmptyList>
        }
      />
      <TokensApi />
      {isCreating && <NewTokenDialog onClose={() => setIsCreating(false)} />}
    </>
  )
}

function TokensApi() {
  const { t } = useLingui()
  const { can } = useOrganization()
  const token = { name: 'Website', scopes: ['assets:read', 'playback:read'] }
  const list: Example = { title: t`List tokens`, request: 'GET /tokens/', sdk: 'tokens.list' }
  const changes: readonly Example[] = [
    {
      title: t`Create a token`,
      request: 'POST /tokens/',
      body: token,
      sdk: 'tokens.create',
      args: [token],
    },
    {
      title: t`Replace a token`,
      request: 'POST /tokens/TOKEN_ID/rotate/',
      body: { overlap_seconds: 3600 },
      sdk: 'tokens.rotate',
      args: ['TOKEN_ID', { overlap_seconds: 3600 }],
    },
    {
      title: t`Revoke a token`,
      request: 'DELETE /tokens/TOKEN_ID/',
      sdk: 'tokens.revoke',
      args: ['TOKEN_ID'],
    },
  ]
  return <ApiExample examples={can('tokens:write') ? [list, ...changes] : [list]} />
}
