import { createContext, use } from 'react'
import type { Playhead } from './media/playhead.ts'
import type { Editor } from './save/use-editor.ts'
import type { Waveform } from './timeline/waveform.ts'
import type { Video } from './timeline/zoom.ts'

type Studio = {
  readonly video: Video
  readonly editor: Editor
  readonly playhead: Playhead
  readonly waveform: Waveform | undefined
  /** Starts that are proposed, shown as marks on the timeline. */
  readonly marks: readonly number[]
}

const StudioContext = createContext<Studio | undefined>(undefined)

export const StudioProvider = StudioContext

/** The video that is edited, and the tools for it. */
export function useStudio(): Studio {
  const studio = use(StudioContext)
  if (!studio) throw new Error('This component needs the studio.')
  return studio
}
