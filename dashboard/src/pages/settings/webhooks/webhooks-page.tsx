import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { createLazyRoute, Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Webhook } from 'reelkeep'
import { ApiExample, type Example } from '../../../app/api-example/api-example.tsx'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { PagedList } from '../../../app/paging/paged-list.tsx'
import { usePages } from '../../../app/paging/use-pages.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyList } from '../../../ui/data/empty-list.tsx'
import { icons } from '../../../ui/icons.tsx'
import { Row } from '../../../ui/row-list.tsx'
import styles from '../parts/parts.module.css'
import { SectionHead } from '../parts/section-head.tsx'
import { WebhookDialog } from './webhook-dialog.tsx'
import { WebhookState } from './webhook-state.tsx'

export const webhooksPage = createLazyRoute('/signed-in/o/$organization/settings/webhooks')({
  component: WebhooksPage,
})

function WebhooksPage() {
  const { t } = useLingui()
  const { client, can } = useOrganization()
  const [isCreating, setIsCreating] = useState(false)
  const pages = usePages(['webhooks'], (cursor, options) => client.webhooks.list(cursor, options))
  const isPermitted = can('webhooks:write') && can('events:read')
  const create = isPermitted && (
    <Button look="primary" icon={icons.plus} onClick={() => setIsCreating(true)}>
      {t`Create a webhook`}
    </Button>
  )
  return (
    <>
      <SectionHead title={t`Webhooks`} action={create}>
        {t`Webhooks send events to your own servers, for example when a video is ready.`}
      </SectionHead>
      <PagedList
        label={t`Webhooks`}
        pages={pages}
        row={(webhook) => <WebhookRow key={webhook.id} webhook={webhook} />}
        empty={
          <EmptyList icon={icons.webhook} title={t`There are no webhooks yet`}>
            {t`Create a webhook to notify your server when your videos change.`}
          </EmptyList>
        }
      />
      <WebhooksApi isPermitted={isPermitted} />
      {isCreating && <WebhookDialog onClose={() => setIsCreating(false)} />}
    </>
  )
}

function WebhookRow({ webhook }: { readonly webhook: Webhook }) {
  const { t } = useLingui()
  const { id: organization } = useOrganization()
  const { id, url, description, types } = webhook
  const count = types.length
  const events = count === 0 ? t`all events` : plural(count, { one: '# event type', other: '# event types' })
  return (
    <Row
      icon={icons.webhook}
      title={
        <>
          <Link
            className={styles.rowLink}
            to="/o/$organization/settings/webhooks/$webhook"
            params={{ organization, webhook: id }}
          >
            {url}
          </Link>
          <WebhookState webhook={webhook} />
        </>
      }
      details={[description, events].filter(Boolean).join(' · ')}
      action={icons.chevronRight}
    />
  )
}

function WebhooksApi({ isPermitted }: { readonly isPermitted: boolean }) {
  const { t } = useLingui()
  const body = { url: 'https://receiver.example/reelkeep', types: ['asset.completed', 'asset.failed'] }
  const list: Example = { title: t`List webhooks`, request: 'GET /webhooks/', sdk: 'webhooks.list' }
  const create: Example = {
    title: t`Create a webhook`,
    request: 'POST /webhooks/',
    body,
    sdk: 'webhooks.create',
    args: [body],
  }
  return <ApiExample examples={isPermitted ? [list, create] : [list]} />
}
