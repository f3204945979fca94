import type { KeyboardEvent, RefObject } from 'react'
import { everything, nothing, type Selection } from '../../assets/selection.ts'
import type { Videos } from '../use-videos.ts'
import { type ListLayout, stepOf } from './list-layout.ts'

type Options = {
  readonly list: Videos
  /** Index of the current video. */
  readonly at: number
  readonly layout: ListLayout
  readonly onSelect: ((selection: Selection) => void) | undefined
  readonly onOpen: (id: string) => void
  readonly select: (index: number, isRange: boolean) => void
  readonly setCurrent: (index: number) => void
  readonly anchor: RefObject<number>
  readonly scrollTo: (index: number) => void
}

/** Arrow keys move, Shift extends the selection, Space toggles, Ctrl+A selects all, Escape none, Enter opens. */
export function useListKeys(options: Options): (event: KeyboardEvent) => void {
  const { list, at, layout, onSelect, onOpen, select, setCurrent, anchor, scrollTo } = options

  const move = (step: number, isRange: boolean) => {
    const index = Math.max(0, Math.min(list.videos.length - 1, at + step))
    setCurrent(index)
    scrollTo(index)
    if (isRange) select(index, true)
    else anchor.current = index
  }

  const open = () => {
    const video = list.videos[at]
    if (video) onOpen(video.id)
  }
  const actions = new Map([
    ['Enter', open],
    [' ', () => select(at, false)],
    ['Escape', () => onSelect?.(nothing)],
  ])

  return (event) => {
    if (event.altKey) return
    const isModified = event.ctrlKey || event.metaKey
    const step = stepOf(event.key, layout)
    if (step !== undefined) move(step, event.shiftKey)
    else if (isModified && event.key === 'a') onSelect?.(everything)
    else if (!isModified && actions.has(event.key)) actions.get(event.key)?.()
    else return
    event.preventDefault()
  }
}
