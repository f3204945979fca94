import { useLingui } from '@lingui/react/macro'
import { useEffect, useEffectEvent, useRef, useSyncExternalStore } from 'react'
import { Button, IconButton } from '../../../ui/button.tsx'
import { icons } from '../../../ui/icons.tsx'
import { useStudio } from '../studio-context.tsx'
import { studioIcons } from '../studio-icons.tsx'
import { frameAt } from '../timeline/frames.ts'
import { exactTime } from '../times.ts'
import styles from './timeline.module.css'
import type { Zoom } from './use-zoom.ts'

type Props = {
  readonly zoom: Zoom
  readonly isSnapping: boolean
  readonly onSnapping: () => void
  readonly onSplit: () => void
  readonly onGo: (direction: -1 | 1) => void
}

/** Buttons for what shortcuts do as well. */
export function TimelineToolbar({ zoom, isSnapping, onSnapping, onSplit, onGo }: Props) {
  const { t } = useLingui()
  const { playhead } = useStudio()
  const isPlaying = useSyncExternalStore(playhead.subscribe, () => playhead.isPlaying)
  return (
    <div className={styles.toolbar} role="toolbar" aria-label={t`Timeline tools`}>
      <div className={styles.tools}>
        <IconButton label={t`Previous chapter`} icon={studioIcons.previous} onClick={() => onGo(-1)} />
        <IconButton label={t`One frame back`} icon={icons.chevronLeft} onClick={() => playhead.step(-1)} />
        <IconButton
          label={isPlaying ? t`Pause` : t`Play`}
          icon={isPlaying ? icons.pause : icons.play}
          onClick={() => playhead.toggle()}
        />
        <IconButton label={t`One frame forward`} icon={icons.chevronRight} onClick={() => playhead.step(1)} />
        <IconButton label={t`Next chapter`} icon={studioIcons.next} onClick={() => onGo(1)} />
      </div>
      <Position />
      <Button size="small" icon={studioIcons.split} onClick={onSplit}>
        {t`New chapter here`}
      </Button>
      <div className={styles.toolsAtEnd}>
        <button
          type="button"
          className={styles.toggle}
          aria-label={t`Snap`}
          aria-pressed={isSnapping}
          title={t`Dragged chapters snap to pauses and marks`}
          onClick={onSnapping}
        >
          {studioIcons.magnet}
          <span className={styles.hiddenIfNarrow}>{t`Snap`}</span>
        </button>
        <IconButton label={t`Zoom out`} icon={studioIcons.zoomOut} disabled={!zoom.canZoomOut} onClick={zoom.zoomOut} />
        <IconButton label={t`Zoom in`} icon={studioIcons.zoomIn} disabled={!zoom.canZoomIn} onClick={zoom.zoomIn} />
        <IconButton label={t`Show the whole video`} icon={studioIcons.fit} onClick={zoom.fit} />
      </div>
    </div>
  )
}

/** Time and number of the frame. They change with each frame, so without React. */
function Position() {
  const { t } = useLingui()
  const { video, playhead } = useStudio()
  const time = useRef<HTMLElement>(null)
  const frame = useRef<HTMLElement>(null)
  const show = useEffectEvent(() => {
    if (time.current) time.current.textContent = exactTime(playhead.ms)
    if (frame.current) frame.current.textContent = String(frameAt(video.rate, playhead.ms))
  })
  useEffect(() => {
    show()
    return playhead.subscribe(() => show())
  }, [playhead])
  return (
    <p className={styles.position}>
      <b ref={time} />
      <span className={styles.hiddenIfNarrow}>
        {t`Frame`} <span ref={frame} />
      </span>
    </p>
  )
}
