import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import type { Delivery, DeliveryDetails, Webhook } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { ListPlaceholder, ListProblem } from '../../../app/paging/paged-list.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Badge } from '../../../ui/row-list.tsx'
import { wordsOf } from '../parts/identifier-words.ts'
import styles from '../parts/parts.module.css'
import { useTimeText } from '../parts/time-text.ts'
import { useChange } from '../parts/use-change.ts'

type Props = { readonly delivery: Delivery; readonly webhook: Webhook; readonly onClose: () => void }

/** The request and the responses of a delivery. Members who may change webhooks can send it again. */
export function DeliveryDialog({ delivery, webhook, onClose }: Props) {
  const { t } = useLingui()
  const { id, client, can } = useOrganization()
  const { event_id: eventId, type } = delivery
  const details = useQuery({
    queryKey: ['o', id, 'deliveries', webhook.id, 'details', eventId],
    queryFn: ({ signal }) => client.webhookDeliveries.read(webhook.id, eventId, { signal }),
    enabled: can('events:read'),
  })
  const replay = useChange({
    run: () => client.webhookDeliveries.replay(webhook.id, eventId),
    refreshes: ['deliveries'],
    doneText: t`The event is sent again.`,
  })
  const canReplay = can('webhooks:write') && can('events:read') && webhook.enabled
  return (
    <Dialog title={wordsOf(type)} onClose={onClose}>
      {details.isLoading && <ListPlaceholder />}
      {details.error && <ListProblem error={details.error} onRetry={() => void details.refetch()} />}
      {details.data && <Details details={details.data} />}
      <div className={styles.buttons}>
        {canReplay && (
          <Button isBusy={replay.isPending} onClick={() => replay.mutate()}>
            {t`Send again`}
          </Button>
        )}
        <Button onClick={onClose}>{t`Close`}</Button>
      </div>
    </Dialog>
  )
}

function Details({ details: { attempts, request } }: { readonly details: DeliveryDetails }) {
  const { t } = useLingui()
  return (
    <>
      <h3 className={styles.fieldLabel}>{t`Attempts`}</h3>
      {attempts.length === 0 ? (
        <p className={styles.text}>{t`There was no attempt yet.`}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: A long list is scrolled with the keyboard.
        <ol className={styles.attempts} aria-label={t`Attempts`} tabIndex={0}>
          {attempts.map((attempt) => (
            <Attempt key={attempt.at} attempt={attempt} />
          ))}
        </ol>
      )}
      <h3 className={styles.fieldLabel}>{t`Request`}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: A long request is scrolled with the keyboard. */}
      <pre className={styles.code} tabIndex={0}>
        {JSON.stringify(request.body, null, 2)}
      </pre>
    </>
  )
}

function Attempt({ attempt }: { readonly attempt: DeliveryDetails['attempts'][number] }) {
  const { t } = useLingui()
  const timeText = useTimeText()
  const { at, milliseconds, status, answer, error } = attempt
  const isGood = status !== null && status >= 200 && status < 300
  return (
    <li>
      <p className={styles.titleLine}>
        <Badge tone={isGood ? 'good' : 'bad'}>{status === null ? t`No response` : String(status)}</Badge>
        {timeText(at)} · {milliseconds} ms
      </p>
      {error !== null && <p className={styles.text}>{error}</p>}
      {answer && <pre className={styles.code}>{answer}</pre>}
    </li>
  )
}
