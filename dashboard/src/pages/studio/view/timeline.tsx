import { type RefObject, useMemo, useSyncExternalStore } from 'react'
import { chapterAt } from '../chapters/chapter-edits.ts'
import { MARK_PAUSE_MS_MIN, startAfter } from '../chapters/proposals.ts'
import { useStudio } from '../studio-context.tsx'
import type { SuggestionCommands } from '../suggestions/suggestion-commands.ts'
import { SuggestionMarks } from '../suggestions/suggestion-marks.tsx'
import { pausesOf } from '../timeline/waveform.ts'
import { ChapterHandle } from './chapter-handle.tsx'
import styles from './timeline.module.css'
import { TimelineStage } from './timeline-stage.tsx'
import type { Zoom } from './use-zoom.ts'

type Props = {
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly zoom: Zoom
  readonly isSnapping: boolean
  readonly suggestionCommands: SuggestionCommands
}

/** The chapters on the timeline of the video. */
export function Timeline({ scroller, zoom, isSnapping, suggestionCommands }: Props) {
  const { video, editor } = useStudio()
  const { pixelsPerSecond } = zoom
  const attracting = useAttractingTimes(isSnapping)
  const current = useCurrentChapter()
  return (
    <TimelineStage {...{ scroller, zoom }}>
      {(msAt) => (
        <>
          <SuggestionMarks pixelsPerSecond={pixelsPerSecond} commands={suggestionCommands} />
          <div className={styles.chapters} data-empty={editor.chapters.length === 0 || undefined}>
            {editor.chapters.map((chapter, index) => (
              <ChapterHandle
                key={chapter.key}
                chapter={chapter}
                endMs={editor.chapters[index + 1]?.startMs ?? video.durationMs}
                isSelected={chapter.key === editor.selected?.key}
                isCurrent={chapter.key === current}
                {...{ pixelsPerSecond, scroller, msAt, attracting }}
              />
            ))}
          </div>
        </>
      )}
    </TimelineStage>
  )
}

/** Times that attract a dragged chapter, besides frames. */
function useAttractingTimes(isSnapping: boolean): () => readonly number[] {
  const { video, playhead, waveform, suggestions } = useStudio()
  const { found, marked } = suggestions
  const starts = useMemo(() => {
    const pauses = waveform ? pausesOf(waveform, MARK_PAUSE_MS_MIN) : []
    return [...pauses.map((pause) => startAfter(pause, video.rate)), ...found.scene.map(({ startMs }) => startMs)]
  }, [waveform, video, found])
  const marks = marked.map(({ startMs }) => startMs)
  return () => (isSnapping ? [...starts, ...marks, ...(playhead.isPlaying ? [] : [playhead.ms])] : [])
}

/** The key of the chapter that is playing. */
function useCurrentChapter(): string | undefined {
  const { editor, playhead } = useStudio()
  return useSyncExternalStore(playhead.subscribe, () => chapterAt(editor.chapters, playhead.ms)?.key)
}
