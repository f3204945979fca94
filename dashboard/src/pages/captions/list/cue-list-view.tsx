import { useLingui } from '@lingui/react/macro'
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { useTimelineTools } from '../../studio/studio-context.tsx'
import type { CaptionCommands, FocusRequest } from '../caption-commands.ts'
import { useCaptions } from '../captions-context.tsx'
import { textBeside } from '../cues/beside.ts'
import { cueAt } from '../cues/cue-list.ts'
import { warningsOf } from '../cues/cue-warnings.ts'
import styles from './cue-panel.module.css'
import { CueRow } from './cue-row.tsx'

/** Height of a row before it is measured. */
const ROW_PIXELS = 96
const OVERSCAN = 3

type Props = { readonly commands: CaptionCommands; readonly focused: FocusRequest | undefined }

/** Only the rows that are visible are in the document, and the selected one, which may have the focus. */
export function CueList({ commands, focused }: Props) {
  const { t } = useLingui()
  const { editor, beside, track } = useCaptions()
  const { video, playhead } = useTimelineTools()
  const { cues, selected, actions } = editor
  const box = useRef<HTMLDivElement>(null)
  const index = selected ? cues.indexOf(selected) : -1
  const current = useSyncExternalStore(playhead.subscribe, () => cueAt(cues, playhead.ms)?.key)
  const virtualizer = useVirtualizer({
    ...{ count: cues.length, overscan: OVERSCAN },
    getScrollElement: () => box.current,
    getItemKey: (row) => cues[row]?.key ?? row,
    estimateSize: () => ROW_PIXELS,
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), index])]
        .filter((row) => row >= 0 && row < cues.length)
        .sort((a, b) => a - b),
  })
  useEffect(() => {
    if (index >= 0) virtualizer.scrollToIndex(index, { align: 'auto' })
  }, [index, virtualizer])
  return (
    <div ref={box} className={styles.scroller}>
      <ol className={styles.list} style={{ height: virtualizer.getTotalSize() }} aria-label={t`Captions`}>
        {virtualizer.getVirtualItems().map((item) => {
          const cue = cues[item.index]
          if (!cue) return null
          return (
            <li
              key={item.key}
              ref={virtualizer.measureElement}
              data-index={item.index}
              className={styles.item}
              style={{ transform: `translateY(${item.start}px)` }}
              aria-current={cue.key === selected?.key || undefined}
              aria-setsize={cues.length}
              aria-posinset={item.index + 1}
              data-playing={cue.key === current || undefined}
              onFocus={() => actions.select(cue.key)}
            >
              <CueRow
                cue={cue}
                number={item.index + 1}
                rate={video.rate}
                language={track.language}
                warnings={warningsOf(cue, cues[item.index + 1], video.durationMs)}
                beside={beside && textBeside(beside, cue)}
                focused={focused?.key === cue.key ? focused : undefined}
                actions={actions}
                commands={commands}
              />
            </li>
          )
        })}
      </ol>
    </div>
  )
}
