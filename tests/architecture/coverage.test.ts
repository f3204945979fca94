import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { coverageMarkdown, coverageOf, coveragePath, readCoverage } from '../acceptance/coverage.ts'

describe('coverage of the specification', () => {
  it('has a test or a reason to wait for every sentence, quoted to the letter', () => {
    expect(readCoverage().faults).toEqual([])
  })

  it('is written down as it is: if not, run pnpm generate', () => {
    expect(readFileSync(coveragePath, 'utf8')).toBe(coverageMarkdown())
  })
})

describe('the check itself', () => {
  const specification =
    '## 1. Doors\n\n| Name | Meaning |\n|---|---|\n| `open` | *wide* |\n\n- It shuts.\n'
  const doors = { id: '1.1', text: 'open | wide' }
  const shuts = { id: '1.2', text: 'It shuts.' }
  const promised = [doors, shuts]
  const source = { file: 'doors.test.ts', text: "  it('[1.1, 1.2] 200: shuts', () => {})" }
  const faultsOf = (...given: Parameters<typeof coverageOf>) => coverageOf(...given).faults

  it('finds nothing when every sentence is quoted and held', () => {
    expect(faultsOf(promised, [source], specification)).toEqual([])
  })

  it('finds a promise that no test holds, unless it waits', () => {
    const half = { ...source, text: "it('[1.1] 200: opens', () => {})" }
    expect(faultsOf(promised, [half], specification)).toEqual(['1.2 has no test: It shuts.'])
    const waiting = [doors, { ...shuts, later: 'assets' as const }]
    expect(faultsOf(waiting, [half], specification)).toEqual([])
    const partly = [doors, { ...shuts, restLater: 'assets' as const }]
    expect(faultsOf(partly, [half], specification)).toEqual(['1.2 has no test: It shuts.'])
  })

  it('finds a promise that is held and still said to wait', () => {
    const waiting = [doors, { ...shuts, later: 'assets' as const }]
    expect(faultsOf(waiting, [source], specification)).toEqual([
      '1.2 has a test, so it no longer waits for assets',
    ])
  })

  it('finds an id that no promise has', () => {
    const wrong = { ...source, text: "it.for([1])('[1.1, 1.2, 1.3] 200: shuts', () => {})" }
    expect(faultsOf(promised, [wrong], specification)).toEqual([
      'doors.test.ts holds unknown 1.3: 200: shuts',
    ])
  })

  it('finds a test without an id', () => {
    const unnamed = { ...source, text: `${source.text}\n  it('works', () => {})` }
    expect(faultsOf(promised, [unnamed], specification)).toEqual([
      'doors.test.ts has 2 tests, but 1 titles with ids',
    ])
  })

  it('finds a quotation that is not literal, and a sentence left out', () => {
    const changed = [doors, { ...shuts, text: 'It slams.' }]
    expect(faultsOf(changed, [source], specification)).toEqual([
      '1.2 is not what the specification says. There: It shuts.',
    ])
    const held = { ...source, text: "it('[1.1] 200: opens', () => {})" }
    expect(faultsOf([doors], [held], specification)).toEqual(['Section 1 promises more: It shuts.'])
  })
})
