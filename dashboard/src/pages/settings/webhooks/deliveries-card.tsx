import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { Delivery, Webhook } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { PagedList } from '../../../app/paging/paged-list.tsx'
import { usePages } from '../../../app/paging/use-pages.ts'
import { queryClient } from '../../../app/queries.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { EmptyList } from '../../../ui/data/empty-list.tsx'
import { icons } from '../../../ui/icons.tsx'
import { Badge, Row } from '../../../ui/row-list.tsx'
import { wordsOf } from '../parts/identifier-words.ts'
import styles from '../parts/parts.module.css'
import { useTimeText } from '../parts/time-text.ts'
import { DeliveryDialog } from './delivery-dialog.tsx'

type State = 'waiting' | 'delivered' | 'failed'

/** The deliveries of a webhook, newest first. */
export function DeliveriesCard({ webhook }: { readonly webhook: Webhook }) {
  const { t } = useLingui()
  const { id, client } = useOrganization()
  const [state, setState] = useState<State | ''>('')
  const filter = state === '' ? {} : { state }
  const pages = usePages(['deliveries', webhook.id, state], (cursor, options) =>
    client.webhookDeliveries.list(webhook.id, { ...filter, ...cursor }, options),
  )
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['o', id, 'deliveries', webhook.id] })
  return (
    <Card
      title={t`Deliveries`}
      action={
        <div className={styles.filters}>
          <select
            className={styles.filter}
            aria-label={t`Status`}
            value={state}
            onChange={({ target }) => setState(target.value as State | '')}
          >
            <option value="">{t`All`}</option>
            <option value="waiting">{t`Waiting`}</option>
            <option value="delivered">{t`Delivered`}</option>
            <option value="failed">{t`Failed`}</option>
          </select>
          <Button icon={icons.refresh} onClick={() => void refresh()}>
            {t`Refresh`}
          </Button>
        </div>
      }
    >
      <PagedList
        label={t`Deliveries`}
        pages={pages}
        row={(delivery) => <DeliveryRow key={delivery.event_id} delivery={delivery} webhook={webhook} />}
        empty={
          <EmptyList icon={icons.activity} title={t`There are no deliveries`}>
            {t`Send a test event to try the webhook.`}
          </EmptyList>
        }
      />
    </Card>
  )
}

type RowProps = { readonly delivery: Delivery; readonly webhook: Webhook }

function DeliveryRow({ delivery, webhook }: RowProps) {
  const { t } = useLingui()
  const timeText = useTimeText()
  const [isOpen, setIsOpen] = useState(false)
  const { number, type, state, attempt_count: attempts, created_at: createdAt, next_attempt_at: nextAt } = delivery
  const next = nextAt === null ? undefined : timeText(nextAt)
  return (
    <>
      <Row
        icon={state === 'failed' ? icons.warning : icons.activity}
        title={
          <>
            {wordsOf(type)}
            <DeliveryState state={state} />
          </>
        }
        details={[
          timeText(createdAt),
          plural(attempts, { one: '# attempt', other: '# attempts' }),
          next === undefined ? undefined : t`next attempt ${next}`,
        ]
          .filter((text) => text !== undefined)
          .join(' · ')}
        action={
          <Button size="small" look="quiet" aria-label={t`Details of event ${number}`} onClick={() => setIsOpen(true)}>
            {t`Details`}
          </Button>
        }
      />
      {isOpen && <DeliveryDialog delivery={delivery} webhook={webhook} onClose={() => setIsOpen(false)} />}
    </>
  )
}

function DeliveryState({ state }: { readonly state: Delivery['state'] }) {
  const { t } = useLingui()
  if (state === 'delivered') return <Badge>{t`Delivered`}</Badge>
  if (state === 'failed') return <Badge tone="bad">{t`Failed`}</Badge>
  return <Badge tone="warning">{t`Waiting`}</Badge>
}
