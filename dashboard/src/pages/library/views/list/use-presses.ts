import { type DragEvent, type MouseEvent, type RefObject, useCallback, useRef } from 'react'
import { ASSETS_TYPE, draggedAssets } from '../../actions/dragged-assets.ts'
import type { ListedVideo } from '../../assets/listed-video.ts'
import { isEmpty, isSelected, only, type Selection, toggled, withRange } from '../../assets/selection.ts'
import { targetOf } from '../selection-target.ts'
import type { Videos } from '../use-videos.ts'

type Options = {
  readonly list: Videos
  readonly selection: Selection
  readonly onSelect: ((selection: Selection) => void) | undefined
  readonly onOpen: (id: string) => void
  readonly setCurrent: (index: number) => void
}

type Press = { readonly isRange: boolean; readonly isToggle: boolean }

/** Handlers for the pointer. The functions never change, so that the cards are not rendered again. */
export function usePresses(options: Options) {
  const { setCurrent } = options
  const anchor = useRef(0)
  const now = useRef(options)
  now.current = options
  const select = useSelect(now, anchor, setCurrent)
  const onPress = useCallback(
    (index: number, event: MouseEvent) => {
      const { list, selection, onSelect, onOpen } = now.current
      const video = list.videos[index]
      const press = pressOf(event)
      const isPlain = !press.isRange && !press.isToggle
      const isOpening = !onSelect || (isEmpty(selection) && (press.isOnTitle || press.isTouch))
      if (video && isPlain && isOpening) onOpen(video.id)
      else select(index, press.isTouch ? { ...press, isToggle: true } : press)
    },
    [select],
  )
  const onDoubleClick = useCallback((video: ListedVideo) => now.current.onOpen(video.id), [])
  const onDrag = useCallback((event: DragEvent, video: ListedVideo) => {
    const { list, selection } = now.current
    const dragged = isSelected(selection, video.id) ? selection : only(video.id)
    draggedAssets.set(targetOf(list, dragged))
    event.dataTransfer.setData(ASSETS_TYPE, video.title)
    event.dataTransfer.effectAllowed = 'move'
  }, [])
  return { anchor, select, onPress, onDoubleClick, onDrag }
}

function useSelect(now: RefObject<Options>, anchor: RefObject<number>, setCurrent: (index: number) => void) {
  return useCallback(
    (index: number, { isRange, isToggle }: Press) => {
      const { list, selection, onSelect } = now.current
      const video = list.videos[index]
      setCurrent(index)
      if (!video || !onSelect) return
      if (isRange) {
        const ids = list.videos.map(({ id }) => id)
        return onSelect(withRange(selection, ids, anchor.current, index))
      }
      anchor.current = index
      onSelect(isToggle ? toggled(selection, video.id) : only(video.id))
    },
    [now, anchor, setCurrent],
  )
}

function pressOf(event: MouseEvent) {
  const target = event.target as Element
  const isOnTick = target.closest('[data-tick]') !== null
  return {
    isRange: event.shiftKey,
    isToggle: isOnTick || event.ctrlKey || event.metaKey,
    isOnTitle: target.closest('[data-title]') !== null,
    isTouch: !isOnTick && (event.nativeEvent as PointerEvent).pointerType === 'touch',
  }
}
