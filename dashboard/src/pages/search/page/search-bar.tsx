import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { type Shortcut, useShortcuts } from '../../../app/keyboard/shortcuts.tsx'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { SearchField } from '../../../ui/forms/search-field.tsx'
import { icons } from '../../../ui/icons.tsx'
import { folderQuery } from '../../library/tree/folder-levels.ts'
import { type SearchAddress, searchedTexts } from '../search-address.ts'
import styles from './search-page.module.css'

type Props = {
  readonly address: SearchAddress
  readonly onChange: (changes: { readonly [Name in keyof SearchAddress]?: SearchAddress[Name] | undefined }) => void
}

/** The words, and where they are searched. */
export function SearchBar({ address, onChange }: Props) {
  const { t } = useLingui()
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const shortcuts = useMemo<readonly Shortcut[]>(
    () => [{ keys: '/', label: t`Search in videos`, group: t`Search`, run: () => field.current?.focus() }],
    [t],
  )
  useShortcuts(shortcuts)
  return (
    <search className={styles.bar}>
      <SearchField
        size="large"
        label={t`Search in titles, chapters and captions`}
        value={address.q ?? ''}
        field={field}
        onSearch={(q) => onChange({ q: q === '' ? undefined : q })}
      />
      <div className={styles.filters}>
        <TextsField address={address} onChange={onChange} />
        {address.folder !== undefined && (
          <FolderChip
            folder={address.folder}
            onRemove={() => {
              field.current?.focus()
              onChange({ folder: undefined })
            }}
          />
        )}
      </div>
    </search>
  )
}

function TextsField({ address, onChange }: Props) {
  const { t } = useLingui()
  const labels = { titles: t`Titles and descriptions`, chapters: t`Chapters`, transcript: t`Captions` }
  return (
    <fieldset className={styles.texts}>
      <legend>{t`Search in`}</legend>
      {([undefined, ...searchedTexts] as const).map((one) => (
        <label key={one ?? ''}>
          <input type="radio" name="in" checked={address.in === one} onChange={() => onChange({ in: one })} />
          <span>{one === undefined ? t`Everything` : labels[one]}</span>
        </label>
      ))}
    </fieldset>
  )
}

function FolderChip({ folder, onRemove }: { readonly folder: string; readonly onRemove: () => void }) {
  const { t } = useLingui()
  const { data } = useQuery(folderQuery(useOrganization(), folder))
  const title = data?.title ?? '…'
  return (
    <button
      type="button"
      className={styles.folder}
      aria-label={t`Search all folders instead of ${title}`}
      onClick={onRemove}
    >
      {icons.folder}
      <span>{title}</span>
      {icons.close}
    </button>
  )
}
