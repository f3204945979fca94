import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../run-command.ts'
import { guarantees, guaranteesPage } from './guarantees.ts'
import { outcomeOf, patternOf } from './test-outcome.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')

describe.each(guarantees)('$guarantee', ({ file, find, replace, tests, failing }) => {
  it('has a mutation that changes exactly one place, with at most two new lines', () => {
    expect(read(file).split(find)).toHaveLength(2)
    expect(replace).not.toBe(find)
    expect(replace.trimEnd().split('\n').length).toBeLessThanOrEqual(2)
  })

  it('has a test that runs in .ci/run', () => {
    expect(tests).toMatch(/(?<!\.long)\.test\.ts$/)
    expect(existsSync(join(root, tests))).toBe(true)
    const titles = [`'${failing}'`, `"${failing}"`, `\`${failing}\``]
    expect(titles.filter((title) => read(tests).includes(title))).toHaveLength(1)
  })
})

it('docs/guarantees.md is the page generated from the guarantees', () => {
  expect(read('docs/guarantees.md')).toBe(guaranteesPage())
})

describe('outcomeOf', () => {
  const reportOf = (status: string, message?: string) => ({
    testResults: [
      {
        name: '/repository/lists.test.ts',
        message: '',
        assertionResults: [
          { fullName: 'a list 7: is (whole)', status, failureMessages: message ? [message] : [] },
          { fullName: 'a list is sorted', status: 'failed', failureMessages: ['not sorted'] },
        ],
      },
    ],
  })
  const outcome = (...[status, message]: Parameters<typeof reportOf>) =>
    outcomeOf(reportOf(status, message), { tests: 'lists.test.ts', failing: '%s: is (whole)' })

  it('returns killed and the first line of the error message if the named test failed', () => {
    expect(outcome('failed', 'Error: expected 1 to be 2\n    at x.ts:3')).toEqual({
      result: 'killed',
      detail: 'Error: expected 1 to be 2',
    })
  })

  it('ignores the failure of another test', () => {
    expect(outcome('passed').result).toBe('survived')
    expect(outcome('skipped').result).toBe('not run')
  })

  it('returns timed out if the named test reached its time limit', () => {
    expect(outcome('failed', 'Error: Test timed out in 150000ms.').result).toBe('timed out')
  })

  it('returns not run and the error if the test file could not be run', () => {
    const testResults = ['one', 'other'].map((name) => ({
      name: `/repository/${name}.test.ts`,
      message: `SyntaxError: ${name}\n`,
      assertionResults: [],
    }))
    expect(outcomeOf({ testResults }, { tests: 'other.test.ts', failing: 'any' })).toEqual({
      result: 'not run',
      detail: 'SyntaxError: other',
    })
  })
})

it('patternOf matches whole titles', () => {
  const pattern = new RegExp(patternOf('is whole'))
  expect(
    ['is whole', 'a list is whole', 'a list is whole again', 'this whole'].map((name) => pattern.test(name)),
  ).toEqual([true, true, false, false])
})
