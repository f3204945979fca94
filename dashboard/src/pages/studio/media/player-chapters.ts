import { useEffect } from 'react'
import { useVideo } from '../../video/video-context.tsx'
import type { Chapters } from '../chapters/chapter-edits.ts'

type PlayerChapter = { readonly start: number; readonly title: string }

/** Whether the player can be given chapters. An older one reads them again after they are saved. */
function canShowChapters(player: HTMLElement): player is HTMLElement & { chapters: readonly PlayerChapter[] } {
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
