import { useLingui } from '@lingui/react/macro'
import { createLazyRoute } from '@tanstack/react-router'
import { useState } from 'react'
import { eventTypes, type ReelkeepEvent } from 'reelkeep'
import { ApiExample, type Example } from '../../../app/api-example/api-example.tsx'
import { useFeedState } from '../../../app/live/live.tsx'
import { ListPlaceholder, ListProblem } from '../../../app/paging/paged-list.tsx'
import { Button } from '../../../ui/button.tsx'
import { EmptyList } from '../../../ui/data/empty-list.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { icons } from '../../../ui/icons.tsx'
import { Badge, Row, RowList } from '../../../ui/row-list.tsx'
import { wordsOf } from '../parts/identifier-words.ts'
import styles from '../parts/parts.module.css'
import { SectionHead } from '../parts/section-head.tsx'
import { useTimeText } from '../parts/time-text.ts'
import { useRecentEvents } from './use-recent-events.ts'

export const eventsPage = createLazyRoute('/signed-in/o/$organization/settings/events')({ component: EventsPage })

function EventsPage() {
  const { t } = useLingui()
  const [type, setType] = useState('')
  const { events, isPending, error, retry } = useRecentEvents(type)
  const example: Example = {
    title: t`Follow events`,
    request: 'GET /events/stream/',
    sdk: 'events.stream',
  }
  return (
    <>
      <SectionHead title={t`Events`} action={<LiveState />}>
        {t`Changes to videos, folders and settings in real time. Webhooks and the event stream deliver the same events to programs.`}
      </SectionHead>
      <div className={styles.filters}>
        <select
          className={styles.filter}
          aria-label={t`Type`}
          value={type}
          onChange={({ target }) => setType(target.value)}
        >
          <option value="">{t`All types`}</option>
          {eventTypes.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </div>
      {isPending && <ListPlaceholder />}
      {error && <ListProblem error={error} onRetry={retry} />}
      {!isPending && !error && events.length === 0 && (
        <EmptyList icon={icons.activity} title={t`There are no events yet`}>
          {t`New events appear here automatically.`}
        </EmptyList>
      )}
      {events.length > 0 && (
        <RowList label={t`Events`}>
          {events.map((event) => (
            <EventRow key={event.id} event={event} />
          ))}
        </RowList>
      )}
      <ApiExample examples={[example]} />
    </>
  )
}

function LiveState() {
  const { t } = useLingui()
  const state = useFeedState()
  return state === 'live' ? <Badge>{t`Live`}</Badge> : <Badge tone="warning">{t`Connecting`}</Badge>
}

const titleIn = (data: object): string | undefined => {
  const { title, name, email } = data as Record<string, unknown>
  return [title, name, email].find((value) => typeof value === 'string')
}

function EventRow({ event }: { readonly event: ReelkeepEvent }) {
  const { t } = useLingui()
  const timeText = useTimeText()
  const [isOpen, setIsOpen] = useState(false)
  const { number, type, created_at: createdAt, data } = event
  return (
    <>
      <Row
        icon={icons.activity}
        title={wordsOf(type)}
        details={[titleIn(data), timeText(createdAt)].filter(Boolean).join(' · ')}
        action={
          <Button size="small" look="quiet" aria-label={t`Details of event ${number}`} onClick={() => setIsOpen(true)}>
            {t`Details`}
          </Button>
        }
      />
      {isOpen && (
        <Dialog title={wordsOf(type)} onClose={() => setIsOpen(false)}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: A long event is scrolled with the keyboard. */}
          <pre className={styles.code} tabIndex={0}>
            {JSON.stringify(event, null, 2)}
          </pre>
        </Dialog>
      )}
    </>
  )
}
