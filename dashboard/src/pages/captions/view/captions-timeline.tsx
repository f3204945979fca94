import { useLingui } from '@lingui/react/macro'
import { memo, type RefObject, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { Button } from '../../../ui/button.tsx'
import { icons } from '../../../ui/icons.tsx'
import { useTimelineTools } from '../../studio/studio-context.tsx'
import { studioIcons } from '../../studio/studio-icons.tsx'
import { timeAt } from '../../studio/timeline/zoom.ts'
import timeline from '../../studio/view/timeline.module.css'
import { TimelineStage } from '../../studio/view/timeline-stage.tsx'
import { Transport, ZoomButtons } from '../../studio/view/transport.tsx'
import type { Zoom } from '../../studio/view/use-zoom.ts'
import type { CaptionCommands } from '../caption-commands.ts'
import { useCaptions } from '../captions-context.tsx'
import { cueAt } from '../cues/cue-list.ts'
import { blocksOf } from './cue-blocks.ts'
import { CueEdges } from './cue-edges.tsx'
import styles from './cue-timeline.module.css'

type Props = {
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly zoom: Zoom
  readonly commands: CaptionCommands
}

/** Outside of the visible part, in widths of it. */
const MARGIN = 0.5

/** The captions on the timeline of the video. The selected one has edges that can be dragged. */
export function CaptionsTimeline({ scroller, zoom, commands }: Props) {
  const { t } = useLingui()
  const { editor } = useCaptions()
  const { playhead } = useTimelineTools()
  const { cues, selected } = editor
  const { pixelsPerSecond, width } = zoom
  const left = useScrollLeft(scroller)
  const current = useSyncExternalStore(playhead.subscribe, () => cueAt(cues, playhead.ms)?.key)
  const fromMs = timeAt(left - width * MARGIN, pixelsPerSecond)
  const toMs = timeAt(left + width * (1 + MARGIN), pixelsPerSecond)
  const blocks = useMemo(() => blocksOf(cues, { fromMs, toMs, pixelsPerSecond }), [cues, fromMs, toMs, pixelsPerSecond])
  const xOf = (ms: number) => (ms / 1000) * pixelsPerSecond
  return (
    <>
      <div className={timeline.toolbar} role="toolbar" aria-label={t`Timeline tools`}>
        <Transport previous={t`Previous caption`} next={t`Next caption`} onGo={(direction) => commands.go(direction)} />
        <div className={timeline.toolsAtEnd}>
          <Button size="small" icon={icons.plus} onClick={commands.add}>
            {t`New caption`}
          </Button>
          <Button size="small" look="quiet" icon={studioIcons.split} onClick={() => commands.split()}>
            {t`Split`}
          </Button>
          <ZoomButtons zoom={zoom} />
        </div>
      </div>
      <TimelineStage {...{ scroller, zoom }}>
        {(msAt) => (
          <div className={styles.lane}>
            {blocks.map(({ key, startMs, endMs, text, isJoined }) => (
              <CueBlockView
                key={key}
                {...{ text, isJoined }}
                left={xOf(startMs)}
                width={Math.max(2, xOf(endMs - startMs))}
                isSelected={key === selected?.key}
                isCurrent={key === current}
                onPress={() => commands.show({ key, startMs })}
              />
            ))}
            {selected && <CueEdges cue={selected} {...{ pixelsPerSecond, msAt }} />}
          </div>
        )}
      </TimelineStage>
    </>
  )
}

type BlockProps = {
  readonly text: string
  readonly isJoined: boolean
  readonly left: number
  readonly width: number
  readonly isSelected: boolean
  readonly isCurrent: boolean
  readonly onPress: () => void
}

/** The list has the same for the keyboard and for screen readers. */
const CueBlockView = memo(
  ({ text, isJoined, left, width, isSelected, isCurrent, onPress }: BlockProps) => (
    <div
      className={styles.cue}
      style={{ left, width }}
      data-joined={isJoined || undefined}
      data-selected={isSelected || undefined}
      data-current={isCurrent || undefined}
      aria-hidden="true"
      onClick={onPress}
    >
      <span>{text}</span>
    </div>
  ),
  (one, other) =>
    one.text === other.text &&
    one.isJoined === other.isJoined &&
    one.left === other.left &&
    one.width === other.width &&
    one.isSelected === other.isSelected &&
    one.isCurrent === other.isCurrent,
)

/** How far the timeline is scrolled, in steps: cues are rendered again only when new ones may become visible. */
function useScrollLeft(scroller: RefObject<HTMLElement | null>): number {
  const [left, setLeft] = useState(0)
  useEffect(() => {
    const element = scroller.current
    if (!element) return
    const update = () => {
      const step = Math.max(1, element.clientWidth * (MARGIN / 2))
      setLeft(Math.round(element.scrollLeft / step) * step)
    }
    element.addEventListener('scroll', update, { passive: true })
    return () => element.removeEventListener('scroll', update)
  }, [scroller])
  return left
}
