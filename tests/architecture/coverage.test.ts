import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { coverageMarkdown, coverageOf, coveragePath, readCoverage } from '../acceptance/coverage.ts'
import { requirementsIn } from '../acceptance/requirements.ts'

describe('coverage of the requirements', () => {
  it('has a test for every requirement', () => {
    expect(readCoverage().errors).toEqual([])
  })

  it('is up to date in COVERAGE.md (run pnpm generate)', () => {
    expect(readFileSync(coveragePath, 'utf8')).toBe(coverageMarkdown())
  })
})

describe('requirementsIn', () => {
  it('returns the id and the text of each list item that begins with an id, on one line', () => {
    const markdown = '# Doors\n\n- **1.1** A door\n  opens.\n- **1.2** `shut` shuts it.\n\n- Other.\n'
    expect(requirementsIn(markdown)).toEqual([
      { id: '1.1', text: 'A door opens.', testedElsewhere: expect.any(Array) },
      { id: '1.2', text: '`shut` shuts it.', testedElsewhere: expect.any(Array) },
    ])
  })
})

describe('coverageOf', () => {
  const opens = { id: '9.1', text: 'A door opens.', testedElsewhere: [] }
  const shuts = { id: '9.2', text: 'A door shuts.', testedElsewhere: [] }
  const both = { file: 'doors.test.ts', text: "  it('[9.1, 9.2] 200: shuts', () => {})" }
  const onlyOpens = { ...both, text: "it('[9.1] 200: opens', () => {})" }
  const errorsOf = (...given: Parameters<typeof coverageOf>) => coverageOf(...given).errors

  it('reports no error when every requirement has a test', () => {
    expect(errorsOf([opens, shuts], [both])).toEqual([])
  })

  it('reports a requirement without a test', () => {
    expect(errorsOf([opens, shuts], [onlyOpens])).toEqual(['9.2 has no test: A door shuts.'])
  })

  it('accepts a requirement that is tested elsewhere, if that test file exists', () => {
    const elsewhere = (file: string) => [opens, { ...shuts, testedElsewhere: [file] }]
    expect(errorsOf(elsewhere('tests/architecture/coverage.test.ts'), [onlyOpens])).toEqual([])
    expect(errorsOf(elsewhere('tests/none.test.ts'), [onlyOpens])).toEqual([
      '9.2 names a test file that does not exist: tests/none.test.ts',
    ])
  })

  it('reports an id that no requirement has', () => {
    const wrong = { ...both, text: "it.for([1])('[9.1, 9.2, 9.3] 200: shuts', () => {})" }
    expect(errorsOf([opens, shuts], [wrong])).toEqual(['doors.test.ts: 9.3 is unknown: 200: shuts'])
  })

  it('reports a test without an id', () => {
    const unnamed = { ...both, text: `${both.text}\n  it('works', () => {})` }
    expect(errorsOf([opens, shuts], [unnamed])).toEqual(['doors.test.ts has 2 tests, but 1 titles with ids'])
  })

  it('reports a gap in the numbers of a section', () => {
    const third = { ...shuts, id: '9.3' }
    const source = { ...both, text: "it('[9.1, 9.3] 200: shuts', () => {})" }
    expect(errorsOf([opens, third], [source])).toEqual(['9.3 is where 9.2 should be'])
  })
})
