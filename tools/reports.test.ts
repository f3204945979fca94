import { describe, expect, it } from 'vitest'
import { slowestFiles, stageTable, totals } from './reports.ts'

describe('stageTable', () => {
  it('prints the seconds of each stage and their sum', () => {
    const table = stageTable('0\tinstall\n12\tcheck\n100\tacceptance\n130\t\n')
    expect(table.split('\n')).toEqual(['    12  install', '    88  check', '    30  acceptance', '   130  all'])
  })
})

const report = {
  numPassedTests: 3,
  numFailedTests: 1,
  numPendingTests: 0,
  testResults: [
    { name: '/repo/a.test.ts', startTime: 1000, endTime: 3000 },
    { name: '/repo/b.test.ts', startTime: 1000, endTime: 9000 },
    { name: '/repo/c.test.ts', startTime: 1000, endTime: 2000 },
  ],
}

describe('slowestFiles', () => {
  it('lists the slowest files first, up to the requested number', () => {
    expect(slowestFiles([report], '/repo/', 2).split('\n')).toEqual(['     8  b.test.ts', '     2  a.test.ts'])
  })
})

describe('totals', () => {
  it('adds up the tests of all reports', () => {
    expect(totals([report, report])).toBe('6 passed, 2 failed')
    expect(totals([{ ...report, numPendingTests: 2 }])).toBe('3 passed, 1 failed, 2 skipped')
  })
})
