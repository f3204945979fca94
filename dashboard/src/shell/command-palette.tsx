import { useLingui } from '@lingui/react/macro'
import { useDeferredValue, useState } from 'react'
import {
  Dialog as AriaDialog,
  Autocomplete,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  SearchField,
} from 'react-aria-components'
import { KeysView } from '../app/keyboard/keys-view.tsx'
import { type Shortcut, useShortcutList } from '../app/keyboard/shortcuts.tsx'
import { icons } from '../ui/icons.tsx'
import styles from './command-palette.module.css'
import type { PaletteItem } from './palette-item.ts'
import { usePaletteResults } from './use-palette-results.tsx'

/** Finds videos, folders and commands by name and moments by their words, and opens or runs the chosen one. */
export function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const { t } = useLingui()
  const [text, setText] = useState('')
  const term = useDeferredValue(text.trim())
  const commands = useShortcutList().filter(({ label }) => matches(label, term))
  const { videos, folders, moments, openSearch } = usePaletteResults(term)
  const all = openSearch && [{ id: 'search', label: t`Search “${term}” in all videos`, run: openSearch }]
  return (
    <ModalOverlay className={styles.overlay ?? ''} isOpen isDismissable onOpenChange={(isOpen) => isOpen || onClose()}>
      <Modal className={styles.modal ?? ''}>
        <AriaDialog aria-label={t`Search and commands`} className={styles.dialog ?? ''}>
          <Autocomplete inputValue={text} onInputChange={setText}>
            <SearchField className={styles.field ?? ''} aria-label={t`Search videos, folders and commands`} autoFocus>
              {icons.search}
              <Input className={styles.input ?? ''} placeholder={t`Search videos, folders and commands`} />
            </SearchField>
            <Menu
              className={styles.menu ?? ''}
              aria-label={t`Results`}
              renderEmptyState={() => <p className={styles.empty}>{t`Nothing was found.`}</p>}
              onAction={onClose}
            >
              <Section title={t`Videos`} items={videos} />
              <Section title={t`Folders`} items={folders} />
              <Section title={t`Chapters and captions`} items={moments} />
              <Section title={t`Commands`} items={commands.map(commandItem)} />
              {all && <Section title={t`Search`} items={all} />}
            </Menu>
          </Autocomplete>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}

const matches = (label: string, term: string) => label.toLocaleLowerCase().includes(term.toLocaleLowerCase())

const commandItem = ({ keys, label, run }: Shortcut): PaletteItem => ({ id: keys, label, keys, run })

const Section = ({ title, items }: { readonly title: string; readonly items: readonly PaletteItem[] }) =>
  items.length > 0 && (
    <MenuSection>
      <Header className={styles.title ?? ''}>{title}</Header>
      {items.map(({ id, label, keys, content, run }) => (
        <MenuItem key={id} id={id} textValue={label} className={styles.item ?? ''} onAction={run}>
          {content ?? <span>{label}</span>}
          {keys && <KeysView keys={keys} />}
        </MenuItem>
      ))}
    </MenuSection>
  )
