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

/**
 * Handlers for the pointer: a click opens a video. The box of a video, or a click with Ctrl or Shift, starts a
 * selection, to which further clicks add. The functions never change, so that the cards are not rendered again.
 */
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
      const isOpening = !onSelect || (isEmpty(selection) && !isSelecting(event))
      if (video && isOpening) onOpen(video.id)
      else select(index, event.shiftKey)
    },
    [select],
  )
  const onDrag = useCallback((event: DragEvent, video: ListedVideo) => {
    const { list, selection } = now.current
    const dragged = isSelected(selection, video.id) ? selection : only(video.id)
    draggedAssets.set(targetOf(list, dragged))
    event.dataTransfer.setData(ASSETS_TYPE, video.title)
    event.dataTransfer.effectAllowed = 'move'
  }, [])
  return { anchor, select, onPress, onDrag }
}

function useSelect(now: RefObject<Options>, anchor: RefObject<number>, setCurrent: (index: number) => void) {
  return useCallback(
    (index: number, isRange: boolean) => {
      const { list, selection, onSelect } = now.current
      const video = list.videos[index]
      setCurrent(index)
      if (!video || !onSelect) return
      if (isRange) {
        const ids = list.videos.map(({ id }) => id)
        return onSelect(withRange(selection, ids, anchor.current, index))
      }
      anchor.current = index
      onSelect(toggled(selection, video.id))
    },
    [now, anchor, setCurrent],
  )
}

const isSelecting = ({ target, shiftKey, ctrlKey, metaKey }: MouseEvent) =>
  shiftKey || ctrlKey || metaKey || (target as Element).closest('[data-tick]') !== null
