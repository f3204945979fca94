import { useLingui } from '@lingui/react/macro'
import { useToast } from '../../../app/toasts.tsx'
import { cleanTitle } from '../chapters/chapter-edits.ts'
import type { Commands } from '../studio-commands.ts'
import { useStudio } from '../studio-context.tsx'
import { neighborOf, type Suggestion } from './suggestion-list.ts'

/** The commands of buttons and shortcuts for suggestions. */
export function useSuggestionCommands({ add }: Pick<Commands, 'add'>) {
  const { t } = useLingui()
  const { suggestions, playhead } = useStudio()
  const toast = useToast()
  const { selected, select } = suggestions
  const list = suggestions.inOrder()

  const show = (suggestion: Suggestion) => {
    suggestions.setOpen(true)
    select(suggestion.key)
    playhead.seek(suggestion.startMs)
  }

  const values = ({ title, startMs }: Suggestion) => ({ title: cleanTitle(title) || t`Chapter`, startMs })

  const accept = (suggestion: Suggestion) => add([values(suggestion)])

  return {
    show,
    accept,
    acceptAll: (accepted: readonly Suggestion[]) => add(accepted.map(values)),
    /** Shows the suggestion before or after the selected one, or the playhead. */
    go: (direction: -1 | 1) => {
      const next = neighborOf(list, { startMs: playhead.ms, key: selected }, direction)
      if (next) show(next)
      else if (list.length === 0) toast(t`There are no suggestions.`)
    },
    /** Accepts the selected suggestion, and shows the next one. */
    acceptSelected: () => {
      const suggestion = list.find(({ key }) => key === selected)
      if (!suggestion) return
      const next = neighborOf(list, suggestion, 1)
      accept(suggestion)
      if (next) show(next)
    },
  }
}

export type SuggestionCommands = ReturnType<typeof useSuggestionCommands>
