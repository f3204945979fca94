import { useLingui } from '@lingui/react/macro'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useToast } from '../../app/toasts.tsx'
import { CutMenu } from '../video/clips/cut-menu.tsx'
import { Player } from '../video/player/player.tsx'
import { useVideo } from '../video/video-context.tsx'
import { isTableOfContents } from './chapters/table-of-contents.ts'
import { usePlayerChapters } from './media/player-chapters.ts'
import { Playhead } from './media/playhead.ts'
import { useWaveform } from './media/use-tracks.ts'
import { Panel } from './panel/panel.tsx'
import { PasteDialog } from './panel/paste-dialog.tsx'
import type { ChapterSet } from './save/chapter-set.ts'
import { ConflictDialog } from './save/conflict-dialog.tsx'
import { LeaveDialog } from './save/leave-dialog.tsx'
import { useEditor } from './save/use-editor.ts'
import { useCommands } from './studio-commands.ts'
import { StudioProvider, useStudio } from './studio-context.tsx'
import { StudioHeader } from './studio-header.tsx'
import styles from './studio-page.module.css'
import { useStudioShortcuts } from './studio-shortcuts.ts'
import { useSuggestionCommands } from './suggestions/suggestion-commands.ts'
import { useSuggestions } from './suggestions/use-suggestions.ts'
import type { Video } from './timeline/zoom.ts'
import { Timeline } from './view/timeline.tsx'
import { TimelineToolbar } from './view/timeline-toolbar.tsx'
import { useZoom } from './view/use-zoom.ts'

type Props = { readonly initial: ChapterSet; readonly video: Video }

/** Player, timeline and list of chapters, which show the same position and the same unsaved chapters. */
export function Studio({ initial, video }: Props) {
  const { asset, player } = useVideo()
  const editor = useEditor(initial, video)
  const [playhead] = useState(() => new Playhead(video))
  const waveform = useWaveform()
  const suggestions = useSuggestions(video, editor.chapters)
  const isPlayable = asset.video.playback_url !== null
  // biome-ignore lint/correctness/useExhaustiveDependencies: The player is there as soon as the video can be played.
  useEffect(() => playhead.follow(player.current), [playhead, player, isPlayable])
  usePlayerChapters(editor.chapters, !editor.isDragging)
  const studio = useMemo(
    () => ({ video, editor, playhead, waveform, suggestions }),
    [video, editor, playhead, waveform, suggestions],
  )
  return (
    <StudioProvider value={studio}>
      <Workspace />
    </StudioProvider>
  )
}

function Workspace() {
  const { t } = useLingui()
  const { asset } = useVideo()
  const { video, editor, playhead, suggestions } = useStudio()
  const [renamed, setRenamed] = useState<string>()
  const [isSnapping, setSnapping] = useState(true)
  const [pasted, setPasted] = useState<string>()
  const scroller = useRef<HTMLDivElement>(null)
  const zoom = useZoom(scroller, video, playhead)
  const commands = useCommands()
  const suggestionCommands = useSuggestionCommands(commands)
  const save = useCheckedSave()
  const toggleSnapping = () => setSnapping((isOn) => !isOn)
  const rename = () => {
    suggestions.setOpen(false)
    setRenamed(editor.selected?.key)
  }
  useStudioShortcuts({ commands, suggestionCommands, zoom, rename, toggleSnapping, save: () => void save() })
  usePaste(setPasted)
  const { pending } = editor.state
  return (
    <div className={styles.page}>
      <StudioHeader
        editor={editor}
        title={t`Chapters of ${asset.title}`}
        heading={t`Chapters`}
        onSave={() => void save()}
      >
        <CutMenu />
      </StudioHeader>
      <div className={styles.player}>
        <Player />
      </div>
      <div className={styles.timeline}>
        <TimelineToolbar
          {...{ zoom, isSnapping }}
          onSnapping={toggleSnapping}
          onSplit={commands.split}
          onGo={commands.go}
        />
        <Timeline {...{ scroller, zoom, isSnapping, suggestionCommands }} />
      </div>
      <Panel
        {...{ commands, suggestionCommands, renamed }}
        onRenamed={() => setRenamed(undefined)}
        onPaste={() => setPasted('')}
      />
      {pasted !== undefined && (
        <PasteDialog initial={pasted} commands={commands} onClose={() => setPasted(undefined)} />
      )}
      {pending && <ConflictDialog key={pending.etag} pending={pending} />}
      <LeaveDialog editor={editor} save={save} title={t`Save the chapters?`}>
        {t`The chapters have unsaved changes. Without saving, they stay in this browser until you open this page again.`}
      </LeaveDialog>
    </div>
  )
}

/** Saves, unless chapters are outside of the video, which the API refuses. */
function useCheckedSave(): () => Promise<boolean> {
  const { t } = useLingui()
  const { video, editor } = useStudio()
  const toast = useToast()
  return async () => {
    const outside = editor.chapters.find(({ startMs }) => startMs >= video.durationMs)
    if (!outside) return editor.save().catch(() => false)
    editor.actions.select(outside.key)
    toast(t`“${outside.title}” starts after the end of the video. Move or delete it, then save.`, { isProblem: true })
    return false
  }
}

/** A table of contents that is pasted anywhere outside of a field opens the dialog. */
function usePaste(onText: (text: string) => void): void {
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      const isField = event.target instanceof Element && event.target.closest('input, textarea, [role=dialog]') !== null
      const text = event.clipboardData?.getData('text/plain') ?? ''
      if (!isField && isTableOfContents(text)) onText(text)
    }
    document.addEventListener('paste', onPaste)
    return () => document.removeEventListener('paste', onPaste)
  }, [onText])
}
