import { useLingui } from '@lingui/react/macro'
import { useEffectEvent, useMemo } from 'react'
import { type Shortcut, useShortcuts } from '../../app/keyboard/shortcuts.tsx'
import { useTimelineTools } from '../studio/studio-context.tsx'
import type { Zoom } from '../studio/view/use-zoom.ts'
import type { CaptionCommands } from './caption-commands.ts'
import { useCaptions } from './captions-context.tsx'

type Options = {
  readonly commands: CaptionCommands
  readonly zoom: Zoom
  readonly find: () => void
  readonly shift: () => void
  readonly save: () => void
}

/** Everything that the captions editor does, by keyboard. */
export function useCaptionShortcuts(options: Options): void {
  const { t } = useLingui()
  const { editor } = useCaptions()
  const { video, playhead } = useTimelineTools()
  // The list stays the same, so that the overview is not built again with each change.
  const current = useEffectEvent(() => options)
  const { actions } = editor
  const { rate } = video
  useShortcuts(
    useMemo((): readonly Shortcut[] => {
      const [playing, editing, view] = [t`Playback`, t`Captions`, t`Timeline`]
      const second = Math.round(rate)
      const inGroup =
        (group: string) =>
        (keys: string, label: string, run: (isRepeated?: boolean) => void, more: Partial<Shortcut> = {}): Shortcut => ({
          ...{ keys, label, group, run },
          ...more,
        })
      const [play, edit, look] = [inGroup(playing), inGroup(editing), inGroup(view)]
      const commands = () => current().commands
      const repeats = { repeats: true } as const
      return [
        play('Space', t`Play or pause`, () => playhead.toggle(), { alias: 'k' }),
        play('p', t`Play from the start of the caption`, () => commands().play()),
        play('ArrowLeft', t`One frame back`, () => playhead.step(-1), repeats),
        play('ArrowRight', t`One frame forward`, () => playhead.step(1), repeats),
        play('shift+ArrowLeft', t`One second back`, () => playhead.step(-second), repeats),
        play('shift+ArrowRight', t`One second forward`, () => playhead.step(second), repeats),
        play('ArrowUp', t`Previous caption`, () => commands().go(-1), repeats),
        play('ArrowDown', t`Next caption`, () => commands().go(1), repeats),
        edit('r', t`Edit the text`, () => commands().focus('text')),
        edit('l', t`Name the speaker`, () => commands().focus('speaker')),
        edit('a', t`New caption at the playhead`, () => commands().add()),
        edit('s', t`Split at the playhead`, () => commands().split()),
        edit('m', t`Merge with the next caption`, () => commands().merge()),
        edit('Delete', t`Delete the caption`, () => commands().remove()),
        edit('i', t`Start at the playhead`, () => commands().setToPlayhead('startMs')),
        edit('o', t`End at the playhead`, () => commands().setToPlayhead('endMs')),
        edit(',', t`Move the caption one frame back`, (again) => commands().nudge('both', -1, again), repeats),
        edit('.', t`Move the caption one frame forward`, (again) => commands().nudge('both', 1, again), repeats),
        edit('shift+,', t`End one frame earlier`, (again) => commands().nudge('endMs', -1, again), repeats),
        edit('shift+.', t`End one frame later`, (again) => commands().nudge('endMs', 1, again), repeats),
        edit('f', t`Find and replace`, () => current().find(), { alias: 'mod+f' }),
        edit('t', t`Shift the times`, () => current().shift()),
        edit('mod+z', t`Undo`, () => actions.undo()),
        edit('mod+shift+z', t`Redo`, () => actions.redo(), { alias: 'mod+y' }),
        edit('mod+s', t`Save captions`, () => current().save()),
        look('+', t`Zoom in`, () => current().zoom.zoomIn(), { alias: '=' }),
        look('-', t`Zoom out`, () => current().zoom.zoomOut()),
        look('0', t`Show the whole video`, () => current().zoom.fit()),
      ]
    }, [t, playhead, actions, rate]),
  )
}
