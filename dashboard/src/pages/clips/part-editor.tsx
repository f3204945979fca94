import { useLingui } from '@lingui/react/macro'
import { type KeyboardEvent, type SubmitEvent, useEffect, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { CheckField } from '../../ui/forms/check-field.tsx'
import { TextField } from '../../ui/forms/text-field.tsx'
import { icons } from '../../ui/icons.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useTimelineTools } from '../studio/studio-context.tsx'
import { useZoom } from '../studio/view/use-zoom.ts'
import { canRender } from '../video/clips/use-created.ts'
import { Player } from '../video/player/player.tsx'
import { useVideo } from '../video/video-context.tsx'
import { useClipProblem } from './clip-problem.ts'
import styles from './part.module.css'
import { edgeMs } from './part.ts'
import { PartFields } from './part-fields.tsx'
import { PartTimeline } from './part-timeline.tsx'
import { SilentEnds } from './silent-ends.tsx'
import { type PartState, usePart } from './use-part.ts'
import { useSavePart } from './use-save-part.ts'

const TITLE_LENGTH_MAX = 255

type Props = { readonly kind: 'clip' | 'trim'; readonly initialSeconds: number; readonly onClose: () => void }

/** Player, timeline and fields, which show the same part. */
export function PartEditor({ kind, initialSeconds, onClose }: Props) {
  const { t } = useLingui()
  const { asset } = useVideo()
  const { video, playhead } = useTimelineTools()
  const state = usePart(kind === 'clip' ? initialSeconds : 0)
  const scroller = useRef<HTMLDivElement>(null)
  const zoom = useZoom(scroller, video, playhead)
  const [title, setTitle] = useState(() => t`Clip of ${asset.title}`.slice(0, TITLE_LENGTH_MAX))
  const [isRendered, setRendered] = useState(false)
  const save = useSavePart(kind, onClose)
  const problemText = useClipProblem()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const invalid = event.currentTarget.querySelector<HTMLElement>('[aria-invalid=true]')
    if (invalid) invalid.focus()
    else if (!save.isPending) save.mutate({ part: state.part, title: title.trim(), isRendered })
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: The keys are those of the buttons in it.
    <div className={styles.editor} onKeyDown={usePartKeys(state)}>
      <div className={styles.player}>
        <Player />
        <p className={styles.keys}>
          {t`Keys: I sets the start to the current frame, O the end. Arrow keys step by one frame. Space plays or pauses.`}
        </p>
      </div>
      <div className={styles.timeline}>
        <PartTimeline {...{ state, scroller, zoom }} />
      </div>
      <form className={styles.form} onSubmit={submit} noValidate>
        <PartFields state={state} />
        {kind === 'trim' && <SilentEnds state={state} />}
        {kind === 'clip' ? (
          <>
            <TextField
              label={t`Title of the clip`}
              maxLength={TITLE_LENGTH_MAX}
              autoComplete="off"
              error={title.trim() === '' ? t`Write a title.` : undefined}
              hint={
                isRendered
                  ? t`With the chapters and captions of this part.`
                  : t`With the chapters and captions of this part. A clip shares the media files, so it uses no storage.`
              }
              value={title}
              onChange={({ target }) => setTitle(target.value)}
            />
            {canRender(asset) && (
              <CheckField
                label={t`Render as a separate video`}
                hint={t`Cut exactly for every player, and independent of this video. It takes a moment and uses storage.`}
                checked={isRendered}
                onChange={({ target }) => setRendered(target.checked)}
              />
            )}
          </>
        ) : (
          <p className={styles.hint}>
            {t`Viewers see only this part, with the same links. Nothing is deleted: you can undo the trim at any time. The original file stays available for download to those who may download it.`}
          </p>
        )}
        {save.error && <Notice kind="error">{problemText(save.error)}</Notice>}
        <div className={styles.buttons}>
          <Button look="quiet" onClick={onClose}>{t`Cancel`}</Button>
          <Button type="submit" look="primary" icon={icons.check} isBusy={save.isPending}>
            {kind === 'trim' ? t`Trim` : isRendered ? t`Render` : t`Create clip`}
          </Button>
        </div>
      </form>
      <PlayedPart state={state} />
    </div>
  )
}

/** Stops at the end of the part while the part is played. */
function PlayedPart({ state: { part, isPlaying, stop } }: { readonly state: PartState }) {
  const { video, playhead } = useTimelineTools()
  const endMs = edgeMs(part, 'endFrame', video)
  useEffect(() => {
    if (!isPlaying) return
    // The player reports the end of the video itself.
    return playhead.subscribe(() => {
      if (playhead.ms >= endMs - 1) stop()
    })
  }, [isPlaying, playhead, endMs, stop])
  return null
}

/** Keys that do what buttons do, except where a field, a button or a handle uses them itself. */
function usePartKeys(state: PartState) {
  const { playhead } = useTimelineTools()
  const step = (frames: number) => (event: KeyboardEvent) =>
    playhead.step(event.shiftKey ? frames * SHIFT_FRAMES : frames)
  const actions = new Map<string, (event: KeyboardEvent) => void>([
    ['i', () => state.startHere()],
    ['o', () => state.endHere()],
    ['ArrowLeft', step(-1)],
    ['ArrowRight', step(1)],
    [' ', () => playhead.toggle()],
  ])
  return (event: KeyboardEvent) => {
    const action = isForControl(event)
      ? undefined
      : actions.get(event.key.length === 1 ? event.key.toLowerCase() : event.key)
    if (!action) return
    event.preventDefault()
    action(event)
  }
}

const isForControl = ({ target, key, ctrlKey, metaKey, altKey, defaultPrevented }: KeyboardEvent) =>
  ctrlKey ||
  metaKey ||
  altKey ||
  defaultPrevented ||
  !(target instanceof Element) ||
  target.closest(key === ' ' ? 'input, textarea, reelkeep-player, button, a' : 'input, textarea, reelkeep-player') !==
    null

const SHIFT_FRAMES = 10
