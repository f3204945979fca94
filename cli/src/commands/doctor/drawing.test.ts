import { expect, it } from 'vitest'
import { plainLook } from '../../terminal/look.ts'
import { drawFinding, drawSum } from './drawing.ts'
import type { Finding } from './finding.ts'

const look = plainLook(new Date())
const fault: Finding = { name: 'token', state: 'fault', detail: 'Refused.', cure: 'Log in.' }
const fine: Finding = { name: 'playback', state: 'fine', detail: 'Well.', cure: null }

it('draws a finding without what a stranger would do to the terminal', () => {
  const drawn = drawFinding({ ...fault, detail: 'a\u001b[2Jb', cure: 'c\nd' }, look)
  expect(drawn).toBe('✗ token  a [2Jb\n    → c d')
})

it('tells faults once more that stand far above', () => {
  expect(drawSum([fault, ...Array(9).fill(fine)], look)).toBe(
    '\nThe faults once more:\n✗ token  Refused.\n    → Log in.\n\n9 fine, 0 warnings, 1 fault.',
  )
  expect(drawSum([...Array(20).fill(fine), fault], look)).toBe('20 fine, 0 warnings, 1 fault.')
})
