import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import type { RefObject } from 'react'
import { Button as AriaButton } from 'react-aria-components'
import { useOrganization } from '../../../../app/organization/organization.tsx'
import { IconButton } from '../../../../ui/button.tsx'
import { SearchField } from '../../../../ui/forms/search-field.tsx'
import { icons } from '../../../../ui/icons.tsx'
import { Menu, MenuItem, MenuSection } from '../../../../ui/menu.tsx'
import {
  type AssetOrder,
  type ChangeSearch,
  DEFAULT_ORDER,
  type LibrarySearch,
  librarySearch,
  orders,
} from '../../library-search.ts'
import type { ViewMode } from '../view-mode.ts'
import { FilterButton } from './filter-button.tsx'
import styles from './toolbar.module.css'

type Props = {
  readonly search: LibrarySearch
  readonly searchField: RefObject<HTMLInputElement | null>
  readonly viewMode: ViewMode
  readonly onViewMode: (mode: ViewMode) => void
}

/** Search, filters, order and view. All but the view are in the address. */
export function Toolbar({ search, searchField, viewMode, onViewMode }: Props) {
  const { t } = useLingui()
  const change = useChangeSearch(search)
  return (
    <div className={styles.bar}>
      <LibrarySearchField key={search.folder} search={search} field={searchField} onChange={change} />
      <FilterButton search={search} onChange={change} />
      <OrderMenu order={search.order ?? DEFAULT_ORDER} onChange={(order) => change({ order })} />
      {/* biome-ignore lint/a11y/useSemanticElements: A fieldset is for the controls of a form. */}
      <div className={styles.views} role="group" aria-label={t`View`}>
        <IconButton
          label={t`Grid`}
          icon={icons.grid}
          aria-pressed={viewMode === 'grid'}
          onClick={() => onViewMode('grid')}
        />
        <IconButton
          label={t`List`}
          icon={icons.rows}
          aria-pressed={viewMode === 'list'}
          onClick={() => onViewMode('list')}
        />
      </div>
    </div>
  )
}

/** Each change replaces the address, so that "back" leaves the list. */
function useChangeSearch(search: LibrarySearch): ChangeSearch {
  const { id } = useOrganization()
  const navigate = useNavigate()
  return (changes) =>
    void navigate({
      ...{ to: '/o/$organization/library', params: { organization: id }, replace: true },
      search: librarySearch({ ...search, ...changes }),
    })
}

type SearchProps = {
  readonly search: LibrarySearch
  readonly field: RefObject<HTMLInputElement | null>
  readonly onChange: ChangeSearch
}

function LibrarySearchField({ search: { q = '', folder }, field, onChange }: SearchProps) {
  const { t } = useLingui()
  const label = folder === undefined ? t`Search videos` : t`Search this folder`
  return (
    <SearchField
      label={label}
      value={q}
      field={field}
      onSearch={(text) => onChange({ q: text === '' ? undefined : text })}
    />
  )
}

type OrderProps = { readonly order: AssetOrder; readonly onChange: (order: AssetOrder) => void }

function OrderMenu({ order, onChange }: OrderProps) {
  const { t } = useLingui()
  const texts: Record<AssetOrder, string> = {
    '-created_at': t`Newest first`,
    created_at: t`Oldest first`,
    title: t`Title A to Z`,
    '-title': t`Title Z to A`,
    '-updated_at': t`Last changed`,
    '-duration': t`Longest first`,
    duration: t`Shortest first`,
    '-bytes': t`Largest first`,
  }
  const current = texts[order]
  return (
    <Menu
      label={t`Order`}
      placement="bottom end"
      trigger={
        <AriaButton className={styles.button ?? ''} aria-label={t`Order: ${current}`}>
          {icons.sort}
          <span className={styles.wide}>{current}</span>
        </AriaButton>
      }
    >
      <MenuSection
        title={t`Order`}
        selection={{ selected: order, onSelect: (key) => onChange(orders.find((one) => one === key) ?? DEFAULT_ORDER) }}
      >
        {orders.map((key) => (
          <MenuItem key={key} id={key}>
            {texts[key]}
          </MenuItem>
        ))}
      </MenuSection>
    </Menu>
  )
}
