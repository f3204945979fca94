import { createContext, use } from 'react'
import type { Subtitle } from 'reelkeep'
import type { CueValues } from './cues/cue-list.ts'
import type { CaptionEditor } from './save/use-captions.ts'

type Captions = {
  readonly track: Subtitle
  readonly editor: CaptionEditor
  /** The cues of a second language, shown beside those that are edited. */
  readonly beside: readonly CueValues[] | undefined
}

const CaptionsContext = createContext<Captions | undefined>(undefined)

export const CaptionsProvider = CaptionsContext

/** The captions that are edited. */
export function useCaptions(): Captions {
  const captions = use(CaptionsContext)
  if (!captions) throw new Error('This component needs the captions editor.')
  return captions
}
