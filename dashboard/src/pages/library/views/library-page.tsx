import { useLingui } from '@lingui/react/macro'
import { createLazyRoute, useNavigate } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { type Shortcut, useShortcuts } from '../../../app/keyboard/shortcuts.tsx'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { isEmpty, nothing, type Selection } from '../assets/selection.ts'
import { useLiveAssets } from '../assets/use-live-assets.ts'
import { isFiltered } from '../library-search.ts'
import { EmptyLibrary } from './empty-library.tsx'
import { LibraryHeader } from './library-header.tsx'
import styles from './library-page.module.css'
import { VideoList } from './list/video-list.tsx'
import { MomentsLink } from './moments-link.tsx'
import { SelectionBar } from './selection-bar.tsx'
import { Subfolders } from './subfolders.tsx'
import { Toolbar } from './toolbar/toolbar.tsx'
import { prefetchVideos, useVideos } from './use-videos.ts'
import { useViewMode } from './view-mode.ts'

export { prefetchVideos }
export const libraryPage = createLazyRoute('/signed-in/o/$organization/library')({ component: LibraryPage })

function LibraryPage() {
  const search = libraryPage.useSearch()
  const { folder } = search
  const { id, can } = useOrganization()
  const [viewMode, setViewMode] = useViewMode()
  const searchField = useRef<HTMLInputElement>(null)
  const list = useVideos(search)
  const [selection, setSelection] = useSelection(list.key)
  const navigate = useNavigate()
  const onOpen = useCallback(
    (video: string) => void navigate({ to: '/o/$organization/videos/$video', params: { organization: id, video } }),
    [navigate, id],
  )
  useLiveAssets()
  useSearchShortcut(() => searchField.current?.focus())
  const hasNothing = list.isLoaded && list.videos.length === 0
  return (
    <div className={styles.page}>
      <LibraryHeader search={search} count={list.isLoaded ? list.count : undefined} />
      <Toolbar search={search} searchField={searchField} viewMode={viewMode} onViewMode={setViewMode} />
      {search.q !== undefined && <MomentsLink q={search.q} folder={folder} />}
      {folder !== undefined && !isFiltered(search) && <Subfolders folder={folder} />}
      {hasNothing || list.error ? (
        <EmptyLibrary search={search} error={list.error} onRetry={list.retry} />
      ) : (
        <VideoList
          key={list.key}
          list={list}
          viewMode={viewMode}
          selection={selection}
          {...(can('assets:write') && { onSelect: setSelection })}
          onOpen={onOpen}
        />
      )}
      {!isEmpty(selection) && <SelectionBar list={list} selection={selection} onSelect={setSelection} />}
    </div>
  )
}

/** The selection belongs to one list: another folder or filter starts with an empty one. */
function useSelection(key: string): readonly [Selection, (selection: Selection) => void] {
  const [state, setState] = useState({ key, selection: nothing })
  const select = useCallback((selection: Selection) => setState({ key, selection }), [key])
  useEffect(() => setState((current) => (current.key === key ? current : { key, selection: nothing })), [key])
  return [state.key === key ? state.selection : nothing, select]
}

function useSearchShortcut(focus: () => void): void {
  const { t } = useLingui()
  const run = useRef(focus)
  run.current = focus
  const shortcuts = useMemo<readonly Shortcut[]>(
    () => [{ keys: '/', label: t`Search the library`, group: t`Library`, run: () => run.current() }],
    [t],
  )
  useShortcuts(shortcuts)
}
