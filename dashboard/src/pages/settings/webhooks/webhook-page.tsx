import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, Link, useParams } from '@tanstack/react-router'
import type { Webhook } from 'reelkeep'
import { ApiExample, type Example } from '../../../app/api-example/api-example.tsx'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { ListPlaceholder, ListProblem } from '../../../app/paging/paged-list.tsx'
import { icons } from '../../../ui/icons.tsx'
import styles from '../parts/parts.module.css'
import { SectionHead } from '../parts/section-head.tsx'
import { useTimeText } from '../parts/time-text.ts'
import { DeliveriesCard } from './deliveries-card.tsx'
import { WebhookActions } from './webhook-actions.tsx'
import { WebhookState } from './webhook-state.tsx'

export const webhookPage = createLazyRoute('/signed-in/o/$organization/settings/webhooks/$webhook')({
  component: WebhookPage,
})

function WebhookPage() {
  const { id, client } = useOrganization()
  const { webhook: webhookId = '' } = useParams({ strict: false })
  const webhook = useQuery({
    queryKey: ['o', id, 'webhooks', webhookId],
    queryFn: ({ signal }) => client.webhooks.read(webhookId, { signal }),
  })
  return (
    <>
      <BackLink />
      {webhook.isPending && <ListPlaceholder />}
      {webhook.error && <ListProblem error={webhook.error} onRetry={() => void webhook.refetch()} />}
      {webhook.data && (
        <>
          <WebhookHead webhook={webhook.data} />
          <DeliveriesCard webhook={webhook.data} />
          <WebhookApi webhook={webhook.data} />
        </>
      )}
    </>
  )
}

function BackLink() {
  const { t } = useLingui()
  const { id: organization } = useOrganization()
  return (
    <Link className={styles.back} to="/o/$organization/settings/webhooks" params={{ organization }}>
      {icons.chevronLeft}
      {t`All webhooks`}
    </Link>
  )
}

function WebhookHead({ webhook }: { readonly webhook: Webhook }) {
  const { t } = useLingui()
  const timeText = useTimeText()
  const { url, description, types, failing_since: failingSince, created_by: by } = webhook
  const since = failingSince === null ? undefined : timeText(failingSince)
  const creator = by.name
  return (
    <SectionHead title={url} action={<WebhookActions webhook={webhook} />}>
      <span className={styles.titleLine}>
        <WebhookState webhook={webhook} />
        {description}
        {since !== undefined && <span>{t`No delivery succeeded since ${since}.`}</span>}
        {creator !== null && <span>{t`Created by ${creator}.`}</span>}
      </span>
      {types.length > 0 && <span className={styles.mono}>{types.join(', ')}</span>}
    </SectionHead>
  )
}

function WebhookApi({ webhook: { id } }: { readonly webhook: Webhook }) {
  const { t } = useLingui()
  const { can } = useOrganization()
  const list: Example = {
    title: t`List failed deliveries`,
    request: `GET /webhooks/${id}/deliveries/?state=failed`,
    sdk: 'webhookDeliveries.list',
    args: [id, { state: 'failed' }],
  }
  const body = { overlap_seconds: 3600 }
  const changes: readonly Example[] = [
    { title: t`Send a test event`, request: `POST /webhooks/${id}/test/`, sdk: 'webhooks.test', args: [id] },
    {
      title: t`Replace the secret`,
      request: `POST /webhooks/${id}/rotate-secret/`,
      body,
      sdk: 'webhooks.rotateSecret',
      args: [id, body],
    },
    {
      title: t`Send an event again`,
      request: `POST /webhooks/${id}/deliveries/EVENT_ID/replay/`,
      sdk: 'webhookDeliveries.replay',
      args: [id, 'EVENT_ID'],
    },
  ]
  return <ApiExample examples={can('webhooks:write') ? [list, ...changes] : [list]} />
}
