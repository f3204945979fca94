/** What is done with an uploaded file, in this order. Adding a step: a file in `steps/`, a word here. */

import { carrySubtitlesStep } from './carry-subtitles.step.ts'
import { encode } from './encode.step.ts'
import { pictures } from './pictures.step.ts'
import { probe } from './probe.step.ts'
import type { Stage } from './step.ts'
import { transcribe } from './transcribe.step.ts'

export const firstStep = probe

export const stages: readonly Stage[] = [
  [probe],
  [encode, transcribe, carrySubtitlesStep],
  [pictures],
]
