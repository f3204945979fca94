import { useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { ComboBox, Input, Label, ListBox, ListBoxItem, Text } from 'react-aria-components'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { OptionsPopover } from '../../../ui/forms/options-popover.tsx'
import { icons } from '../../../ui/icons.tsx'
import styles from './parts.module.css'

const FOLDERS_SHOWN = 20

type Folder = { readonly uuid: string; readonly title: string }

type Props = {
  readonly hint: string
  readonly initial?: Folder | undefined
  readonly onChange: (folder: Folder | undefined) => void
}

/** Finds a folder by its title. Empty means no limit. */
export function FolderField({ hint, initial, onChange }: Props) {
  const { t } = useLingui()
  const { id, client } = useOrganization()
  const [text, setText] = useState(initial?.title ?? '')
  const term = useDeferredValue(text.trim())
  const { data: folders = [] } = useQuery({
    queryKey: ['o', id, 'folder-search', term],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const { results } = await client.folders.list({ ...(term && { q: term }), limit: FOLDERS_SHOWN }, { signal })
      return results.map(({ uuid, title }): Folder => ({ uuid, title }))
    },
  })
  const change = (value: string) => {
    setText(value)
    if (value === '') onChange(undefined)
  }
  const choose = (key: unknown) => {
    const folder = folders.find(({ uuid }) => uuid === key)
    onChange(folder)
    setText(folder?.title ?? '')
  }
  return (
    <ComboBox
      className={styles.comboBox ?? ''}
      menuTrigger="focus"
      items={folders}
      inputValue={text}
      onInputChange={change}
      defaultSelectedKey={initial?.uuid ?? null}
      onSelectionChange={choose}
    >
      <Label>{t`Limit to a folder (optional)`}</Label>
      <Input placeholder={t`All folders`} />
      <Text slot="description" className={styles.hint ?? ''}>
        {hint}
      </Text>
      <OptionsPopover label={t`Folders`} className={styles.options ?? ''}>
        <ListBox<Folder>>
          {({ uuid, title }) => (
            <ListBoxItem id={uuid} textValue={title}>
              {icons.folder} {title}
            </ListBoxItem>
          )}
        </ListBox>
      </OptionsPopover>
    </ComboBox>
  )
}
