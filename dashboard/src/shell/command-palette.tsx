import { useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
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
import { useMaybeOrganization } from '../app/organization/organization.tsx'
import { icons } from '../ui/icons.tsx'
import styles from './command-palette.module.css'

const RESULTS_MAX = 6
const MIN_SEARCH_LENGTH = 2

/** Finds videos, folders and commands by name, and opens or runs the chosen one. */
export function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const { t } = useLingui()
  const [text, setText] = useState('')
  const term = useDeferredValue(text.trim())
  const commands = useShortcutList().filter(({ label }) => matches(label, term))
  const { videos, folders } = useFound(term)
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
              <Section title={t`Commands`} items={commands.map(commandItem)} />
            </Menu>
          </Autocomplete>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}

type Item = { readonly id: string; readonly label: string; readonly keys?: string; readonly run: () => void }

const matches = (label: string, term: string) => label.toLocaleLowerCase().includes(term.toLocaleLowerCase())

const commandItem = ({ keys, label, run }: Shortcut): Item => ({ id: keys, label, keys, run })

const Section = ({ title, items }: { readonly title: string; readonly items: readonly Item[] }) =>
  items.length > 0 && (
    <MenuSection>
      <Header className={styles.title ?? ''}>{title}</Header>
      {items.map(({ id, label, keys, run }) => (
        <MenuItem key={id} id={id} textValue={label} className={styles.item ?? ''} onAction={run}>
          <span>{label}</span>
          {keys && <KeysView keys={keys} />}
        </MenuItem>
      ))}
    </MenuSection>
  )

/** Videos and folders whose titles contain the term. */
function useFound(term: string): { readonly videos: readonly Item[]; readonly folders: readonly Item[] } {
  const organization = useMaybeOrganization()
  const navigate = useNavigate()
  const { data } = useQuery({
    queryKey: ['o', organization?.id, 'palette', term],
    enabled: organization !== undefined && term.length >= MIN_SEARCH_LENGTH,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      if (!organization) return undefined
      const { client, can } = organization
      const query = { q: term, limit: RESULTS_MAX }
      const [videos, folders] = await Promise.all([
        can('assets:read') ? client.assets.list({ ...query, fields: 'id,title' }, { signal }) : undefined,
        can('folders:read') ? client.folders.list(query, { signal }) : undefined,
      ])
      return { videos: videos?.results ?? [], folders: folders?.results ?? [] }
    },
  })
  if (!data || !organization || term.length < MIN_SEARCH_LENGTH) return { videos: [], folders: [] }
  const params = { organization: organization.id }
  return {
    videos: data.videos.map(({ id = '', title = '' }) => ({
      ...{ id, label: title },
      run: () => void navigate({ to: '/o/$organization/videos/$video', params: { ...params, video: id } }),
    })),
    folders: data.folders.map(({ uuid, title }) => ({
      ...{ id: uuid, label: title },
      run: () => void navigate({ to: '/o/$organization/library', params, search: { folder: uuid } }),
    })),
  }
}
