import { expect, it } from 'vitest'
import { plainStyle } from '../../terminal/style.ts'
import type { CheckResult } from './check-result.ts'
import { renderResult, renderSummary } from './render-results.ts'

const style = plainStyle(new Date())
const failure: CheckResult = {
  name: 'token',
  status: 'failed',
  detail: 'Refused.',
  hint: 'Log in.',
}
const success: CheckResult = { name: 'playback', status: 'ok', detail: 'Works.', hint: null }

it('renderResult removes control characters', () => {
  const rendered = renderResult({ ...failure, detail: 'a\u001b[2Jb', hint: 'c\nd' }, style)
  expect(rendered).toBe('✗ token  a [2Jb\n    → c d')
})

it('renderSummary repeats failures that may have scrolled out of view', () => {
  expect(renderSummary([failure, ...Array(9).fill(success)], style)).toBe(
    '\nFailed checks:\n✗ token  Refused.\n    → Log in.\n\n9 ok, 0 warnings, 1 failed.',
  )
  expect(renderSummary([...Array(20).fill(success), failure], style)).toBe('20 ok, 0 warnings, 1 failed.')
})
