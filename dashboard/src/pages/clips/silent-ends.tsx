import { useLingui } from '@lingui/react/macro'
import { Button } from '../../ui/button.tsx'
import { useTimelineTools } from '../studio/studio-context.tsx'
import { useProposals } from '../studio/suggestions/use-proposals.ts'
import { exactTime } from '../studio/times.ts'
import { useVideo } from '../video/video-context.tsx'
import styles from './part.module.css'
import { betweenTimes, frameCount } from './part.ts'
import type { PartState } from './use-part.ts'

/** Offers the part without silence at the beginning and end of the video. Nothing changes before it is accepted. */
export function SilentEnds({ state }: { readonly state: PartState }) {
  const { t } = useLingui()
  const { asset } = useVideo()
  const { video } = useTimelineTools()
  const { trim } = useProposals()
  // The proposal has the times of the whole video.
  const part = trim && !asset.video.trim ? betweenTimes(trim, video) : undefined
  const isUsed = part?.startFrame === state.part.startFrame && part.endFrame === state.part.endFrame
  if (!trim || !part || isUsed) return null
  const [start, end] = [exactTime(trim.startMs), exactTime(trim.endMs)]
  const text = () => {
    if (part.startFrame === 0) return t`The video is silent from ${end} to its end.`
    if (part.endFrame >= frameCount(video)) return t`The video is silent until ${start}.`
    return t`The video is silent until ${start}, and from ${end} to its end.`
  }
  return (
    <div className={styles.proposal}>
      <p>{text()}</p>
      <Button size="small" onClick={() => state.change(part, 'startFrame')}>{t`Leave out the silence`}</Button>
    </div>
  )
}
