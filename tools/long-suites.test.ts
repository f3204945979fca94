import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { longSuites, selectSuites, summaryOf } from './long-suites.ts'
import { root } from './run-command.ts'

const namesOf = (...wanted: string[]) => selectSuites(wanted).suites.map(({ name }) => name)

describe('selectSuites', () => {
  it('selects every suite when no name is given', () => {
    expect(selectSuites([]).suites).toEqual(longSuites)
  })

  it('selects a group, a suite by its name, and a suite by its full name', () => {
    expect(namesOf('drill')).toEqual(['drill:roll', 'drill:restore', 'drill:move', 'drill:containers'])
    expect(namesOf('events')).toEqual(['faults:events'])
    expect(namesOf('bench:uploads')).toEqual(['bench:uploads'])
  })

  it('reports names that match no suite', () => {
    expect(selectSuites(['faults', 'nothing']).unknown).toEqual(['nothing'])
  })
})

it('every suite runs programs that exist', () => {
  const scripts = longSuites.flatMap(({ commands }) =>
    commands.map(([file = '', script = '']) => (file === 'node' ? script : file)),
  )
  expect(scripts.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

it('summaryOf counts passed and failed suites', () => {
  const summary = summaryOf([
    { name: 'faults:events', seconds: 12, code: 0 },
    { name: 'drill:move', seconds: 3, code: 2 },
  ])
  expect(summary).toContain('| drill:move | 3 | failed (2) |')
  expect(summary).toContain('1 passed, 1 failed')
})
