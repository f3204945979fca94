/**
 * The videos as a grid or as rows. Only those near the visible part are in the document, so that the cost does not
 * depend on how many are loaded.
 */
import { useLingui } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import { isEmpty, isSelected, type Selection } from '../../assets/selection.ts'
import type { Videos } from '../use-videos.ts'
import type { ViewMode } from '../view-mode.ts'
import { keepPlace, placeIn } from './kept-places.ts'
import { useListKeys } from './use-list-keys.ts'
import { usePresses } from './use-presses.ts'
import { useVirtualRows } from './use-virtual-rows.ts'
import { VideoItem } from './video-item.tsx'
import styles from './video-list.module.css'

type Props = {
  readonly list: Videos
  readonly viewMode: ViewMode
  readonly selection: Selection
  /** Absent if the user may not change videos: then there is nothing to select them for. */
  readonly onSelect?: (selection: Selection) => void
  readonly onOpen: (id: string) => void
}

export function VideoList({ list, viewMode, selection, onSelect, onOpen }: Props) {
  const { t } = useLingui()
  const { videos, count } = list
  const [current, setCurrent] = useState(() => placeIn(list.key).current)
  useEffect(() => keepPlace(list.key, { current }), [list.key, current])
  const at = Math.min(current, Math.max(0, videos.length - 1))
  const { box, layout, rows, totalHeight, scrollTo } = useVirtualRows({ list, viewMode, current: at })
  const { anchor, select, ...presses } = usePresses({ list, selection, onSelect, onOpen, setCurrent })
  const onKeyDown = useListKeys({ list, at, layout, onSelect, onOpen, select, setCurrent, anchor, scrollTo })
  const active = videos[at]
  const shown = rows.flatMap(({ index: row, start }) =>
    videos.slice(row * layout.columns, (row + 1) * layout.columns).map((video, column) => ({
      ...{ video, index: row * layout.columns + column, top: start },
      left: column * (layout.width + layout.gap),
    })),
  )
  return (
    <div
      ref={box}
      className={styles.box}
      role="listbox"
      aria-label={t`Videos`}
      aria-multiselectable={onSelect ? true : undefined}
      aria-busy={!list.isLoaded}
      tabIndex={0}
      aria-activedescendant={active && `video-${active.id}`}
      data-view={viewMode}
      data-selecting={!isEmpty(selection) || undefined}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" className={styles.canvas} style={{ height: totalHeight }}>
        {shown.map((item) => (
          <VideoItem
            key={item.video.id}
            {...item}
            {...presses}
            setSize={count ?? -1}
            viewMode={viewMode}
            isSelected={isSelected(selection, item.video.id)}
            isSelectable={onSelect !== undefined}
            isCurrent={item.index === at}
            width={layout.width}
          />
        ))}
      </div>
      {!list.isLoaded && <Placeholders columns={layout.columns} />}
    </div>
  )
}

const PLACEHOLDER_ROWS = 3

/** Shapes in the places of the first videos while these are loaded. */
const Placeholders = ({ columns }: { readonly columns: number }) => (
  <div className={styles.placeholders} aria-hidden="true">
    {Array.from({ length: columns * PLACEHOLDER_ROWS }, (_, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: All are the same.
      <span key={index} className={styles.placeholder} />
    ))}
  </div>
)
