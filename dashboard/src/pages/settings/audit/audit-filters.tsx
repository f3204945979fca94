import { useLingui } from '@lingui/react/macro'
import { Button } from '../../../ui/button.tsx'
import { icons } from '../../../ui/icons.tsx'
import styles from '../parts/parts.module.css'

/** Only entries of a person or token, or about an object. Chosen in the details of an entry. */
type Chosen = { readonly id: string; readonly name: string }

export type Filters = {
  readonly actor?: Chosen | undefined
  readonly object?: Chosen | undefined
  readonly action: string
  readonly outcome: '' | 'success' | 'refused'
  /** Days in the user's time zone, or empty. */
  readonly from: string
  readonly until: string
}

export const noFilters: Filters = { action: '', outcome: '', from: '', until: '' }

const startOf = (day: string) => new Date(`${day}T00:00:00`)

function endOf(day: string): Date {
  const end = startOf(day)
  end.setDate(end.getDate() + 1)
  return end
}

/** Names of actions, as the API accepts them. */
const actionForm = /^[A-Za-z][A-Za-z.-]{0,99}$/

/** The query of the API. An incomplete action is left out. */
export const auditQuery = ({ actor, object, action, outcome, from, until }: Filters) => ({
  ...(actor && { actor: actor.id }),
  ...(object && { object: object.id }),
  ...(actionForm.test(action.trim()) && { action: action.trim() }),
  ...(outcome && { outcome }),
  ...(from && { created_after: startOf(from).toISOString() }),
  ...(until && { created_before: endOf(until).toISOString() }),
})

type Props = { readonly filters: Filters; readonly onChange: (filters: Filters) => void }

export function AuditFilters({ filters, onChange }: Props) {
  const { t } = useLingui()
  const change = (changes: Partial<Filters>) => onChange({ ...filters, ...changes })
  const day = (name: 'from' | 'until', label: string) => (
    <label className={styles.day}>
      {label}
      <input
        type="date"
        className={styles.filter}
        value={filters[name]}
        onChange={({ target }) => change({ [name]: target.value })}
      />
    </label>
  )
  return (
    <div className={styles.filters}>
      <div className={styles.search}>
        {icons.search}
        <input
          type="search"
          aria-label={t`Action`}
          placeholder={t`Action, for example createFolder`}
          value={filters.action}
          onChange={({ target }) => change({ action: target.value })}
        />
      </div>
      <select
        className={styles.filter}
        aria-label={t`Result`}
        value={filters.outcome}
        onChange={({ target }) => change({ outcome: target.value as Filters['outcome'] })}
      >
        <option value="">{t`All results`}</option>
        <option value="success">{t`Done`}</option>
        <option value="refused">{t`Refused`}</option>
      </select>
      {day('from', t`From`)}
      {day('until', t`Until`)}
      {filters.actor && (
        <ChosenFilter label={t`Who`} chosen={filters.actor} onRemove={() => change({ actor: undefined })} />
      )}
      {filters.object && (
        <ChosenFilter label={t`Object`} chosen={filters.object} onRemove={() => change({ object: undefined })} />
      )}
    </div>
  )
}

type ChosenProps = { readonly label: string; readonly chosen: Chosen; readonly onRemove: () => void }

function ChosenFilter({ label, chosen: { name }, onRemove }: ChosenProps) {
  const { t } = useLingui()
  return (
    <Button size="small" icon={icons.close} aria-label={t`Remove the filter ${label}: ${name}`} onClick={onRemove}>
      {label}: {name}
    </Button>
  )
}
