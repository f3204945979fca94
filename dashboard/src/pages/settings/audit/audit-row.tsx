import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { AuditEntry } from 'reelkeep'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { icons } from '../../../ui/icons.tsx'
import { Badge, Row } from '../../../ui/row-list.tsx'
import { wordsOf } from '../parts/identifier-words.ts'
import styles from '../parts/parts.module.css'
import { useTimeText } from '../parts/time-text.ts'
import type { Filters } from './audit-filters.tsx'

type Props = {
  readonly entry: AuditEntry
  readonly onFilter: (chosen: Pick<Filters, 'actor' | 'object'>) => void
}

export function AuditRow({ entry, onFilter }: Props) {
  const { t } = useLingui()
  const timeText = useTimeText()
  const [isOpen, setIsOpen] = useState(false)
  const { number, action, outcome, object, count } = entry
  const actor = useActorText(entry)
  const objectText = [object.type, object.id].filter((part) => part !== null).join(' ')
  return (
    <>
      <Row
        icon={outcome === 'refused' ? icons.warning : icons.check}
        title={
          <>
            {wordsOf(action)}
            {outcome === 'refused' && <Badge tone="bad">{t`Refused`}</Badge>}
            {count > 1 && <Badge tone="neutral">{`× ${count}`}</Badge>}
          </>
        }
        details={
          <>
            {[actor, timeText(entry.created_at)].join(' · ')}
            {objectText && (
              <>
                <br />
                <span className={styles.mono}>{objectText}</span>
              </>
            )}
          </>
        }
        action={
          <Button size="small" look="quiet" aria-label={t`Details of entry ${number}`} onClick={() => setIsOpen(true)}>
            {t`Details`}
          </Button>
        }
      />
      {isOpen && <AuditDialog entry={entry} onFilter={onFilter} onClose={() => setIsOpen(false)} />}
    </>
  )
}

function useActorText({ actor: { kind, name } }: AuditEntry): string {
  const { t } = useLingui()
  if (name !== null) return kind === 'token' ? t`token “${name}”` : name
  return kind === 'system' ? t`the service` : t`unknown`
}

type DialogProps = Props & { readonly onClose: () => void }

function AuditDialog({ entry, onFilter, onClose }: DialogProps) {
  const { t } = useLingui()
  const timeText = useTimeText()
  const actor = useActorText(entry)
  const { number } = entry
  const values: readonly (readonly [string, string | null])[] = [
    [t`Time`, timeText(entry.created_at)],
    [t`Who`, actor],
    [t`ID`, entry.actor.id],
    [t`Action`, entry.action],
    [t`Object`, [entry.object.type, entry.object.id].filter((part) => part !== null).join(' ') || null],
    [t`Result`, entry.outcome === 'refused' ? t`Refused` : t`Done`],
    [t`Reason`, entry.error_code],
    [t`IP address`, entry.address],
    [t`Program`, entry.user_agent],
    [t`Request`, entry.request_id],
    [t`Fingerprint`, entry.hash],
    [t`Fingerprint of the previous entry`, entry.previous_hash],
  ]
  return (
    <Dialog title={t`Entry ${number}`} onClose={onClose}>
      <dl className={styles.values}>
        {values.map(
          ([label, value]) =>
            value !== null && (
              <div key={label}>
                <dt>{label}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
      <FilterButtons
        entry={entry}
        onFilter={(chosen) => {
          onClose()
          onFilter(chosen)
        }}
      />
    </Dialog>
  )
}

/** Show the other entries of the same person or token, or about the same object. */
function FilterButtons({ entry, onFilter }: Props) {
  const { t } = useLingui()
  const name = useActorText(entry)
  const { actor, object } = entry
  return (
    <div className={styles.buttons}>
      {actor.id !== null && (
        <Button onClick={() => onFilter({ actor: { id: actor.id ?? '', name } })}>{t`Entries of ${name}`}</Button>
      )}
      {object.id !== null && (
        <Button onClick={() => onFilter({ object: { id: object.id ?? '', name: object.id ?? '' } })}>
          {t`Entries about this object`}
        </Button>
      )}
    </div>
  )
}
