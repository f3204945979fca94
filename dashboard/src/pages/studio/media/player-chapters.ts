import { useEffect } from 'react'
import { useVideo } from '../../video/video-context.tsx'
import type { Chapters } from '../chapters/chapter-edits.ts'

/** Whether the script of the player is loaded. Before that, a property would hide the setter of the element. */
function canShowChapters(player: HTMLElement): boolean {
  const prototype = Object.getPrototypeOf(player) as object
  return Object.getOwnPropertyDescriptor(prototype, 'chapters')?.set !== undefined
}

/** Shows the edited chapters in the player before they are saved. `isSettled` is false while one is dragged. */
export function usePlayerChapters(chapters: Chapters, isSettled: boolean): void {
  const { asset, player } = useVideo()
  const isPlayable = asset.video.playback_url !== null
  // biome-ignore lint/correctness/useExhaustiveDependencies: The player is there as soon as the video can be played.
  useEffect(() => {
    const element = player.current
    if (!element || !isSettled) return
    const show = () => {
      if (canShowChapters(element))
        element.chapters = chapters.map(({ title, startMs }) => ({ start: startMs / 1000, title }))
    }
    show()
    element.addEventListener('ready', show)
    return () => element.removeEventListener('ready', show)
  }, [chapters, isSettled, player, isPlayable])
}
