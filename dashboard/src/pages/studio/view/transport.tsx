import { useLingui } from '@lingui/react/macro'
import { useEffect, useEffectEvent, useRef, useSyncExternalStore } from 'react'
import { IconButton } from '../../../ui/button.tsx'
import { icons } from '../../../ui/icons.tsx'
import { useTimelineTools } from '../studio-context.tsx'
import { studioIcons } from '../studio-icons.tsx'
import { frameAt } from '../timeline/frames.ts'
import { exactTime } from '../times.ts'
import styles from './timeline.module.css'
import type { Zoom } from './use-zoom.ts'

type TransportProps = {
  readonly previous: string
  readonly next: string
  readonly onGo: (direction: -1 | 1) => void
}

/** Buttons to play, to step by frames, and to go to what comes before and after. */
export function Transport({ previous, next, onGo }: TransportProps) {
  const { t } = useLingui()
  const { playhead } = useTimelineTools()
  const isPlaying = useSyncExternalStore(playhead.subscribe, () => playhead.isPlaying)
  return (
    <>
      <div className={styles.tools}>
        <IconButton label={previous} icon={studioIcons.previous} onClick={() => onGo(-1)} />
        <IconButton label={t`One frame back`} icon={icons.chevronLeft} onClick={() => playhead.step(-1)} />
        <IconButton
          label={isPlaying ? t`Pause` : t`Play`}
          icon={isPlaying ? icons.pause : icons.play}
          onClick={() => playhead.toggle()}
        />
        <IconButton label={t`One frame forward`} icon={icons.chevronRight} onClick={() => playhead.step(1)} />
        <IconButton label={next} icon={studioIcons.next} onClick={() => onGo(1)} />
      </div>
      <Position />
    </>
  )
}

export function ZoomButtons({ zoom }: { readonly zoom: Zoom }) {
  const { t } = useLingui()
  return (
    <>
      <IconButton label={t`Zoom out`} icon={studioIcons.zoomOut} disabled={!zoom.canZoomOut} onClick={zoom.zoomOut} />
      <IconButton label={t`Zoom in`} icon={studioIcons.zoomIn} disabled={!zoom.canZoomIn} onClick={zoom.zoomIn} />
      <IconButton label={t`Show the whole video`} icon={studioIcons.fit} onClick={zoom.fit} />
    </>
  )
}

/** Time and number of the frame. They change with each frame, so without React. */
function Position() {
  const { t } = useLingui()
  const { video, playhead } = useTimelineTools()
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
