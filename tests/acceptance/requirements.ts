/**
 * The requirements of docs/requirements.md: a list item each, which begins with its id in bold type. An id is the
 * number of the section and a number within it.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export type Requirement = {
  readonly id: string
  readonly text: string
  /** Tests outside of this folder, by their paths from the root of the repository. */
  readonly testedElsewhere: readonly string[]
}

/** Tests of requirements that requests to the API alone cannot test. */
const testedElsewhere: Readonly<Record<string, readonly string[]>> = {
  '1.1': ['tests/media/films.long.test.ts', 'tests/browser/playback.long.test.ts'],
  '4.4.4': ['tests/media/films.long.test.ts', 'media/src/plan/even-size.test.ts'],
  '4.4.5': ['tests/media/protection.long.test.ts', 'tests/media/drm.long.test.ts'],
  '4.4.7': ['tests/media/embedded-tracks.long.test.ts'],
}

const path = fileURLToPath(new URL('../../docs/requirements.md', import.meta.url))

export const readRequirements = (): Requirement[] => requirementsIn(readFileSync(path, 'utf8'))

const itemForm = /^- \*\*([\d.]+)\*\* (.+(?:\n {2}.+)*)$/gm

export function requirementsIn(markdown: string): Requirement[] {
  return [...markdown.matchAll(itemForm)].map(([, id = '', text = '']) => ({
    id,
    text: text.replace(/\s+/g, ' '),
    testedElsewhere: testedElsewhere[id] ?? [],
  }))
}
