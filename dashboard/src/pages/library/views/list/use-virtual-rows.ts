import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { Videos } from '../use-videos.ts'
import type { ViewMode } from '../view-mode.ts'
import { keepPlace, placeIn } from './kept-places.ts'
import { layoutOf } from './list-layout.ts'

type Options = { readonly list: Videos; readonly viewMode: ViewMode; readonly current: number }

/** More videos are loaded when this many rows are left below. */
const ROWS_AHEAD = 12

/** The rows to render, and how to scroll to a video. */
export function useVirtualRows({ list, viewMode, current }: Options) {
  const box = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState({ width: 0, height: 0 })
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const observer = new ResizeObserver(([entry]) => {
      const { width = 0, height = 0 } = entry?.contentRect ?? {}
      setSize((before) => (before.width === width && before.height === height ? before : { width, height }))
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const layout = useMemo(() => layoutOf(viewMode === 'grid', size.width, size.height), [viewMode, size])
  const count = size.width > 0 ? Math.ceil(list.videos.length / layout.columns) : 0
  const currentRow = Math.floor(current / layout.columns)
  const virtualizer = useVirtualizer({
    ...{ count, overscan: 2 },
    getScrollElement: () => box.current,
    estimateSize: () => layout.rowHeight,
    // The row of the current video stays in the document wherever the user scrolls: aria-activedescendant names it.
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), currentRow])].filter((row) => row < count).sort((a, b) => a - b),
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: All rows have a new height.
  useEffect(() => virtualizer.measure(), [layout.rowHeight, virtualizer])
  // Computes the range, which is outdated before.
  const rows = virtualizer.getVirtualItems()
  // Not the last item that is rendered: that may be the row of the current video.
  const last = virtualizer.range?.endIndex ?? 0
  const { loadMore } = list
  useEffect(() => {
    if (count > 0 && last >= count - ROWS_AHEAD) loadMore()
  }, [last, count, loadMore])
  useKeptPosition(list.key, { box, hasRows: count > 0, virtualizer })
  return {
    ...{ box, layout, rows, totalHeight: virtualizer.getTotalSize() },
    scrollTo: (index: number) => virtualizer.scrollToIndex(Math.floor(index / layout.columns)),
  }
}

type Position = {
  readonly box: RefObject<HTMLDivElement | null>
  readonly hasRows: boolean
  readonly virtualizer: { readonly scrollOffset: number | null }
}

/** Returns to the place where the list was left, as soon as it has rows. */
function useKeptPosition(key: string, { box, hasRows, virtualizer }: Position): void {
  const [{ top }] = useState(() => placeIn(key))
  useLayoutEffect(() => {
    if (hasRows && top > 0) box.current?.scrollTo(0, top)
  }, [hasRows, top, box])
  useEffect(() => {
    const element = box.current
    if (!element || !hasRows) return
    // Not `scrollTop`, which would compute the layout of the rows that the virtualizer has just rendered.
    const keep = () => keepPlace(key, { top: virtualizer.scrollOffset ?? 0 })
    element.addEventListener('scroll', keep, { passive: true })
    return () => element.removeEventListener('scroll', keep)
  }, [key, box, hasRows, virtualizer])
}
