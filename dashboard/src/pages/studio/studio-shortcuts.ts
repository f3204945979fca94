import { useLingui } from '@lingui/react/macro'
import { useEffectEvent, useMemo } from 'react'
import { type Shortcut, useShortcuts } from '../../app/keyboard/shortcuts.tsx'
import type { Commands } from './studio-commands.ts'
import { useStudio } from './studio-context.tsx'
import type { SuggestionCommands } from './suggestions/suggestion-commands.ts'
import type { Zoom } from './view/use-zoom.ts'

type Options = {
  readonly commands: Commands
  readonly suggestionCommands: SuggestionCommands
  readonly zoom: Zoom
  readonly rename: () => void
  readonly toggleSnapping: () => void
  readonly save: () => void
}

const JUMP_FRAMES = 10

/** Everything that the chapter editor does, by keyboard. */
export function useStudioShortcuts(options: Options): void {
  const { t } = useLingui()
  const { video, editor, playhead } = useStudio()
  // The list stays the same, so that the overview is not built again with each change.
  const current = useEffectEvent(() => ({ ...options, selected: editor.selected?.key }))
  const { actions } = editor
  const { rate } = video
  useShortcuts(
    useMemo((): readonly Shortcut[] => {
      const [playing, editing, view] = [t`Playback`, t`Chapters`, t`Timeline`]
      const second = Math.round(rate)
      const step = (keys: string, label: string, frames: number): Shortcut => ({
        ...{ keys, label, group: playing, repeats: true },
        run: () => playhead.step(frames),
      })
      const nudge = (keys: string, label: string, frames: number): Shortcut => ({
        ...{ keys, label, group: editing, repeats: true },
        run: (isRepeated) => current().commands.nudge(current().selected, frames, isRepeated),
      })
      const inGroup =
        (group: string) =>
        (keys: string, label: string, run: () => void, alias?: string): Shortcut => ({
          ...{ keys, label, group, run },
          ...(alias !== undefined && { alias }),
        })
      const [play, edit, look] = [inGroup(playing), inGroup(editing), inGroup(view)]
      return [
        play('Space', t`Play or pause`, () => playhead.toggle(), 'k'),
        step('ArrowLeft', t`One frame back`, -1),
        step('ArrowRight', t`One frame forward`, 1),
        step('shift+ArrowLeft', t`One second back`, -second),
        step('shift+ArrowRight', t`One second forward`, second),
        play('ArrowUp', t`Previous chapter`, () => current().commands.go(-1)),
        play('ArrowDown', t`Next chapter`, () => current().commands.go(1)),
        edit('s', t`New chapter at the playhead`, () => current().commands.split()),
        edit('r', t`Rename the chapter`, () => current().rename()),
        edit('Delete', t`Delete the chapter`, () => current().commands.remove()),
        nudge(',', t`Move the chapter one frame back`, -1),
        nudge('.', t`Move the chapter one frame forward`, 1),
        nudge('shift+,', t`Move the chapter ten frames back`, -JUMP_FRAMES),
        nudge('shift+.', t`Move the chapter ten frames forward`, JUMP_FRAMES),
        edit('v', t`Next suggestion`, () => current().suggestionCommands.go(1)),
        edit('shift+v', t`Previous suggestion`, () => current().suggestionCommands.go(-1)),
        edit('a', t`Add the suggestion`, () => current().suggestionCommands.acceptSelected()),
        edit('mod+z', t`Undo`, () => actions.undo()),
        edit('mod+shift+z', t`Redo`, () => actions.redo(), 'mod+y'),
        edit('mod+s', t`Save chapters`, () => current().save()),
        look('+', t`Zoom in`, () => current().zoom.zoomIn(), '='),
        look('-', t`Zoom out`, () => current().zoom.zoomOut()),
        look('0', t`Show the whole video`, () => current().zoom.fit()),
        look('n', t`Snap on or off`, () => current().toggleSnapping()),
      ]
    }, [t, playhead, actions, rate]),
  )
}
