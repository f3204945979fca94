import { useLingui } from '@lingui/react/macro'
import { type ReactNode, useId } from 'react'
import { Button as AriaButton, DialogTrigger, Popover } from 'react-aria-components'
import { useStatusText } from '../../../../app/live/status-text.ts'
import { Button } from '../../../../ui/button.tsx'
import { icons } from '../../../../ui/icons.tsx'
import {
  type ChangeSearch,
  filterCount,
  type LibrarySearch,
  lengths,
  listIn,
  parts,
  type Status,
  statuses,
  type VideoLength,
} from '../../library-search.ts'
import styles from './toolbar.module.css'

type Props = { readonly search: LibrarySearch; readonly onChange: ChangeSearch }

/** Opens the filters; its name says how many are used. */
export function FilterButton({ search, onChange }: Props) {
  const { t } = useLingui()
  const count = filterCount(search)
  return (
    <DialogTrigger>
      <AriaButton
        className={styles.button ?? ''}
        aria-label={count > 0 ? t`Filters, ${count} used` : t`Filters`}
        data-used={count > 0 || undefined}
      >
        {icons.filter}
        <span className={styles.wide}>{t`Filters`}</span>
        {count > 0 && <span className={styles.number}>{count}</span>}
      </AriaButton>
      {/* The popover is the dialog. With a Dialog inside, its hidden buttons would be outside of all landmarks. */}
      <Popover className={styles.popover ?? ''} placement="bottom end" offset={6} aria-label={t`Filters`}>
        <div className={styles.filters}>
          <Filters search={search} onChange={onChange} />
        </div>
      </Popover>
    </DialogTrigger>
  )
}

function Filters({ search, onChange }: Props) {
  const { t } = useLingui()
  const statusText = useStatusText()
  const lengthTexts: Record<VideoLength, string> = {
    short: t`Up to 4 minutes`,
    medium: t`4 to 20 minutes`,
    long: t`More than 20 minutes`,
  }
  const partTexts = { subtitles: t`Captions`, chapters: t`Chapters`, error: t`A problem` }
  const none = { status: undefined, tag: undefined, has: undefined, length: undefined, from: undefined, to: undefined }
  return (
    <>
      <Choices<Status>
        title={t`Status`}
        all={statuses}
        chosen={listIn(statuses, search.status)}
        textOf={statusText}
        onChange={(chosen) => onChange({ status: chosen.join(',') })}
      />
      <Choices
        title={t`Has`}
        all={parts}
        chosen={listIn(parts, search.has)}
        textOf={(part) => partTexts[part]}
        onChange={(chosen) => onChange({ has: chosen.join(',') })}
      />
      <Field label={t`Duration`}>
        {(id) => (
          <select
            id={id}
            value={search.length ?? ''}
            onChange={({ target }) => onChange({ length: lengths.find((one) => one === target.value) })}
          >
            <option value="">{t`Any`}</option>
            {lengths.map((length) => (
              <option key={length} value={length}>
                {lengthTexts[length]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={t`Tag`}>
        {(id) => (
          <input
            id={id}
            defaultValue={search.tag ?? ''}
            autoComplete="off"
            onBlur={({ target }) => onChange({ tag: target.value.trim() || undefined })}
            onKeyDown={({ key, currentTarget }) =>
              key === 'Enter' && onChange({ tag: currentTarget.value.trim() || undefined })
            }
          />
        )}
      </Field>
      <div className={styles.pair}>
        <Field label={t`Uploaded from`}>
          {(id) => <DateInput id={id} value={search.from} onChange={(from) => onChange({ from })} />}
        </Field>
        <Field label={t`Uploaded until`}>
          {(id) => <DateInput id={id} value={search.to} onChange={(to) => onChange({ to })} />}
        </Field>
      </div>
      <Button size="small" onClick={() => onChange(none)}>
        {t`Clear filters`}
      </Button>
    </>
  )
}

type DateProps = {
  readonly id: string
  readonly value: string | undefined
  readonly onChange: (date: string | undefined) => void
}

const DateInput = ({ id, value, onChange }: DateProps) => (
  <input id={id} type="date" value={value ?? ''} onChange={({ target }) => onChange(target.value || undefined)} />
)

function Field({ label, children }: { readonly label: string; readonly children: (id: string) => ReactNode }) {
  const id = useId()
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      {children(id)}
    </div>
  )
}

type ChoicesProps<T extends string> = {
  readonly title: string
  readonly all: readonly T[]
  readonly chosen: readonly T[]
  readonly textOf: (value: T) => string
  readonly onChange: (chosen: readonly T[]) => void
}

function Choices<T extends string>({ title, all, chosen, textOf, onChange }: ChoicesProps<T>) {
  return (
    <fieldset className={styles.choices}>
      <legend>{title}</legend>
      {all.map((value) => (
        <label key={value}>
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, value] : chosen.filter((one) => one !== value))
            }
          />
          <span>{textOf(value)}</span>
        </label>
      ))}
    </fieldset>
  )
}
