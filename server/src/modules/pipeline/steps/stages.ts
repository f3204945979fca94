/** Processing stages of an uploaded file, in order. To add a step, create a file in `steps/` and add it here. */

import { encode } from './encode.step.ts'
import { extractSubtitlesStep } from './extract-subtitles.step.ts'
import { probe } from './probe.step.ts'
import type { Stage } from './step.ts'
import { thumbnails } from './thumbnails.step.ts'
import { transcribe } from './transcribe.step.ts'

export const firstStep = probe

export const stages: readonly Stage[] = [[probe], [encode, transcribe, extractSubtitlesStep], [thumbnails]]
