/** What is done with an uploaded file, in this order. Adding a step: a file in `steps/`, a word here. */

import { probe } from './probe.step.ts'
import type { Step } from './step.ts'

export const firstStep = probe

export const steps: readonly Step[] = [probe]
