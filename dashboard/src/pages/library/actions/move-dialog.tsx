import { useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { Button as AriaButton, ComboBox, Group, Input, Label, ListBox, ListBoxItem } from 'react-aria-components'
import type { Folder } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { OptionsPopover } from '../../../ui/forms/options-popover.tsx'
import { icons } from '../../../ui/icons.tsx'
import { rootFolderOf } from '../tree/folder-levels.ts'
import { contains } from './asset-target.ts'
import styles from './dialogs.module.css'
import type { Destination } from './use-asset-actions.ts'

const RESULTS_MAX = 20
const TOP_LEVEL = 'top-level'

type Props = {
  readonly title: string
  /** A folder that is not offered. */
  readonly exclude?: string
  readonly onClose: () => void
  readonly onMove: (destination: Destination) => void
}

/** Chooses a folder. The server searches, so it works with any number of folders. */
export function MoveDialog({ title, exclude, onClose, onMove }: Props) {
  const { t } = useLingui()
  const organization = useOrganization()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState<Item>()
  const [isMissing, setMissing] = useState(false)
  const term = useDeferredValue(chosen?.title === text ? '' : text.trim())
  const items = useFoundFolders(term, exclude)
  const choose = (key: string) => {
    const item = items.find(({ id }) => id === key)
    setChosen(item)
    setMissing(false)
    if (item) setText(item.title)
  }
  const move = () => {
    if (!chosen) return setMissing(true)
    const isTop = chosen.id === TOP_LEVEL
    onMove(isTop ? { uuid: rootFolderOf(organization), title: null } : { uuid: chosen.id, title: chosen.title })
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <ComboBox
        className={styles.combo ?? ''}
        items={items}
        inputValue={text}
        onInputChange={setText}
        onSelectionChange={(key) => key !== null && choose(String(key))}
        selectedKey={chosen?.id ?? null}
        menuTrigger="focus"
        allowsEmptyCollection
        isInvalid={isMissing}
      >
        <Label className={styles.label ?? ''}>{t`Folder`}</Label>
        <Group className={styles.box ?? ''}>
          {icons.search}
          <Input className={styles.input ?? ''} placeholder={t`Find a folder`} autoFocus />
          <AriaButton className={styles.open ?? ''} aria-label={t`Show folders`}>
            {icons.chevronDown}
          </AriaButton>
        </Group>
        <p className={styles.hint} role="status">
          {isMissing ? t`Choose a folder from the list.` : ''}
        </p>
        <OptionsPopover label={t`Folders`} className={styles.popover ?? ''}>
          <ListBox<Item> renderEmptyState={() => <p className={styles.empty}>{t`No folder was found.`}</p>}>
            {(item) => (
              <ListBoxItem id={item.id} textValue={item.title} className={styles.item ?? ''}>
                {item.id === TOP_LEVEL ? icons.library : icons.folder}
                <span>{item.title}</span>
              </ListBoxItem>
            )}
          </ListBox>
        </OptionsPopover>
      </ComboBox>
      <div className={styles.buttons}>
        <Button onClick={onClose}>{t`Cancel`}</Button>
        <Button look="primary" onClick={move}>
          {t`Move`}
        </Button>
      </div>
    </Dialog>
  )
}

type Item = { readonly id: string; readonly title: string }

/** Folders whose titles contain the term, after the top level. */
function useFoundFolders(term: string, exclude: string | undefined): readonly Item[] {
  const { t } = useLingui()
  const { id, client } = useOrganization()
  const { data = [], isPlaceholderData } = useQuery({
    queryKey: ['o', id, 'found-folders', term],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<readonly Folder[]> =>
      (await client.folders.list({ limit: RESULTS_MAX, ...(term && { q: term }) }, { signal })).results,
  })
  const topLevel = { id: TOP_LEVEL, title: t`Top level (no folder)` }
  // Until the server has found folders, those of the previous term are shown if they match the new one.
  const isShown = ({ uuid, title }: Folder) => uuid !== exclude && (!isPlaceholderData || contains(title, term))
  const found = data.filter(isShown).map(({ uuid, title }) => ({ id: uuid, title }))
  return term === '' ? [topLevel, ...found] : found
}
