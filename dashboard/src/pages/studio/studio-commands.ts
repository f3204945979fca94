import { useLingui } from '@lingui/react/macro'
import { flushSync } from 'react-dom'
import { useToast } from '../../app/toasts.tsx'
import { added, CHAPTERS_MAX, type Chapters, type ChapterValues, nudged, sorted } from './chapters/chapter-edits.ts'
import { newKey } from './save/use-editor.ts'
import { useStudio } from './studio-context.tsx'
import { frameAt, lastFrameStart } from './timeline/frames.ts'
import { exactTime } from './times.ts'

/**
 * Selects another chapter. If the selected one has the focus, on its handle or in the list, the new one gets it, before
 * the next key.
 */
function selectWithFocus(select: () => void): void {
  const kinds = ['[data-chapter][tabindex="0"]', 'li[aria-current] button']
  const kind = kinds.find((selector) => document.activeElement?.matches(selector))
  flushSync(select)
  if (kind !== undefined) document.querySelector<HTMLElement>(kind)?.focus()
}

/** What buttons and shortcuts do with the chapters at the playhead. */
export function useCommands() {
  const { t } = useLingui()
  const { video, editor, playhead } = useStudio()
  const toast = useToast()
  const { chapters, selected, actions } = editor

  const show = (key: string, startMs: number) => {
    selectWithFocus(() => actions.select(key))
    playhead.seek(startMs)
  }

  const add = (additions: readonly ChapterValues[]) => {
    const withKeys = additions.map((values) => ({ ...values, key: newKey() }))
    const result = added(chapters, withKeys)
    if (result.length - chapters.length < additions.length)
      toast(t`Not all chapters were added: a video has at most ${CHAPTERS_MAX}, and each start is used once.`)
    actions.change(() => result)
    const [first] = withKeys
    if (first && result.includes(first)) actions.select(first.key)
  }

  return {
    add,
    /** All chapters instead of the existing ones. */
    replaceAll: (values: readonly ChapterValues[]) => {
      const result: Chapters = sorted(values.map((chapter) => ({ ...chapter, key: newKey() })))
      actions.change(() => result)
      actions.select(result[0]?.key)
    },
    /** A new chapter starts in the frame that is shown. */
    split: () => {
      const startMs = Math.min(playhead.frameMs, lastFrameStart(video.rate, video.durationMs))
      const frame = frameAt(video.rate, startMs)
      const existing = chapters.find((chapter) => frameAt(video.rate, chapter.startMs) === frame)
      const time = exactTime(startMs)
      if (existing) {
        actions.select(existing.key)
        toast(t`A chapter starts at ${time} already.`)
      } else add([{ title: t`Chapter ${chapters.length + 1}`, startMs }])
    },
    nudge: (key: string | undefined, frames: number, isRepeated?: boolean) => {
      if (key === undefined) return
      const moved = nudged(chapters, { key, frames }, video).find((chapter) => chapter.key === key)
      actions.nudge(key, frames, isRepeated)
      if (moved) playhead.seek(moved.startMs)
    },
    remove: (key: string | undefined = selected?.key) => {
      if (key !== undefined) selectWithFocus(() => actions.remove(key))
    },
    /** Selects the chapter before or after the playhead. */
    go: (direction: -1 | 1) => {
      const frame = frameAt(video.rate, playhead.ms)
      const target =
        direction === 1
          ? chapters.find(({ startMs }) => frameAt(video.rate, startMs) > frame)
          : chapters.findLast(({ startMs }) => frameAt(video.rate, startMs) < frame)
      if (target) show(target.key, target.startMs)
    },
    show,
  }
}

export type Commands = ReturnType<typeof useCommands>
