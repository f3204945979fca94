import { createContext, type ReactNode, use } from 'react'
import type { Playhead } from './media/playhead.ts'
import type { Editor } from './save/use-editor.ts'
import type { Suggestions } from './suggestions/use-suggestions.ts'
import type { Waveform } from './timeline/waveform.ts'
import type { Video } from './timeline/zoom.ts'

/** The video that is edited, its position and its sound, for every editor with a timeline. */
export type TimelineTools = {
  readonly video: Video
  readonly playhead: Playhead
  readonly waveform: Waveform | undefined
}

type Studio = TimelineTools & {
  readonly editor: Editor
  readonly suggestions: Suggestions
}

const TimelineContext = createContext<TimelineTools | undefined>(undefined)

export const TimelineProvider = TimelineContext

const StudioContext = createContext<Studio | undefined>(undefined)

export const StudioProvider = ({ value, children }: { readonly value: Studio; readonly children: ReactNode }) => (
  <TimelineContext value={value}>
    <StudioContext value={value}>{children}</StudioContext>
  </TimelineContext>
)

export function useTimelineTools(): TimelineTools {
  const tools = use(TimelineContext)
  if (!tools) throw new Error('This component needs a timeline.')
  return tools
}

/** The chapters of the video, and the tools for them. */
export function useStudio(): Studio {
  const studio = use(StudioContext)
  if (!studio) throw new Error('This component needs the studio.')
  return studio
}
