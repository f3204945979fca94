import { useLingui } from '@lingui/react/macro'
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import type { Subtitle } from 'reelkeep'
import { useToast } from '../../app/toasts.tsx'
import { Playhead } from '../studio/media/playhead.ts'
import { useWaveform } from '../studio/media/use-tracks.ts'
import { LeaveDialog } from '../studio/save/leave-dialog.tsx'
import { TimelineProvider, useTimelineTools } from '../studio/studio-context.tsx'
import { StudioHeader } from '../studio/studio-header.tsx'
import type { Video } from '../studio/timeline/zoom.ts'
import { useZoom } from '../studio/view/use-zoom.ts'
import { Player } from '../video/player/player.tsx'
import { useVideo } from '../video/video-context.tsx'
import { useCaptionCommands } from './caption-commands.ts'
import { useCaptionShortcuts } from './caption-shortcuts.ts'
import styles from './captions.module.css'
import { CaptionsProvider, useCaptions } from './captions-context.tsx'
import { isWritten } from './formats/webvtt.ts'
import { CuePanel } from './list/cue-panel.tsx'
import type { SavedCaptions } from './save/caption-state.ts'
import { useCaptionEditor, useSavedCaptions } from './save/use-captions.ts'
import { CaptionsMenu } from './view/captions-menu.tsx'
import { CaptionsTimeline } from './view/captions-timeline.tsx'
import { Preview } from './view/preview.tsx'

const CueConflictDialog = lazy(async () => ({
  default: (await import('./save/cue-conflict-dialog.tsx')).CueConflictDialog,
}))
const ShiftDialog = lazy(async () => ({ default: (await import('./view/shift-dialog.tsx')).ShiftDialog }))

type Props = { readonly track: Subtitle; readonly initial: SavedCaptions; readonly video: Video }

/** Player, timeline and list of cues, which show the same position and the same unsaved cues. */
export function CaptionsEditor({ track, initial, video }: Props) {
  const { asset, player } = useVideo()
  const editor = useCaptionEditor(track.id, initial)
  const [playhead] = useState(() => new Playhead(video))
  const [besideId, setBesideId] = useState<string>()
  const { data: second } = useSavedCaptions(besideId)
  const waveform = useWaveform()
  const isPlayable = asset.video.playback_url !== null
  // biome-ignore lint/correctness/useExhaustiveDependencies: The player is there as soon as the video can be played.
  useEffect(() => playhead.follow(player.current), [playhead, player, isPlayable])
  const tools = useMemo(() => ({ video, playhead, waveform }), [video, playhead, waveform])
  const beside = besideId === undefined ? undefined : second?.cues
  const captions = useMemo(() => ({ track, editor, beside }), [track, editor, beside])
  return (
    <TimelineProvider value={tools}>
      <CaptionsProvider value={captions}>
        <Workspace besideId={besideId} onBeside={setBesideId} />
      </CaptionsProvider>
    </TimelineProvider>
  )
}

type WorkspaceProps = { readonly besideId: string | undefined; readonly onBeside: (id: string | undefined) => void }

function Workspace({ besideId, onBeside }: WorkspaceProps) {
  const { t } = useLingui()
  const { track, editor } = useCaptions()
  const { asset } = useVideo()
  /** How often the search was asked for; 0 if it is closed. */
  const [finding, setFinding] = useState(0)
  const [isShifting, setShifting] = useState(false)
  const scroller = useRef<HTMLDivElement>(null)
  const { video, playhead } = useTimelineTools()
  const zoom = useZoom(scroller, video, playhead)
  const { commands, focused } = useCaptionCommands()
  const save = useCheckedSave()
  const find = () => setFinding((count) => count + 1)
  const shift = () => setShifting(true)
  useCaptionShortcuts({ commands, zoom, find, shift, save: () => void save() })
  const { label, origin } = track
  const { pending } = editor.state
  return (
    <div className={styles.page} data-beside={besideId !== undefined || undefined}>
      <StudioHeader
        editor={editor}
        title={t`Captions of ${asset.title}: ${label}`}
        heading={t`Captions: ${label}`}
        onSave={() => void save()}
      >
        <CaptionsMenu onShift={shift} />
      </StudioHeader>
      <div className={styles.player}>
        <Player />
        <Preview />
      </div>
      <div className={styles.timeline}>
        <CaptionsTimeline {...{ scroller, zoom, commands }} />
      </div>
      <CuePanel
        {...{ commands, focused, finding, besideId, onBeside }}
        isGenerated={origin === 'generated'}
        onFind={(isFinding) => setFinding(isFinding ? 1 : 0)}
      />
      <Suspense>
        {isShifting && <ShiftDialog onClose={() => setShifting(false)} />}
        {pending && <CueConflictDialog key={pending.etag} conflicts={pending.merge.conflicts} />}
      </Suspense>
      <LeaveDialog editor={editor} save={save} title={t`Save the captions?`}>
        {t`The captions have unsaved changes. Without saving, they are lost.`}
      </LeaveDialog>
    </div>
  )
}

/** Saves, unless nothing is written, which the API refuses. */
function useCheckedSave(): () => Promise<boolean> {
  const { t } = useLingui()
  const { editor } = useCaptions()
  const toast = useToast()
  return async () => {
    if (editor.cues.some(isWritten)) return editor.save().catch(() => false)
    toast(t`Write at least one caption, then save. To remove all, delete the track.`, { isProblem: true })
    return false
  }
}
