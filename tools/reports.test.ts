import { describe, expect, it } from 'vitest'
import { slowestFiles, stageTable, totals } from './reports.ts'

describe('stageTable', () => {
  it('prints the elapsed time, CPU time and stolen time of each stage and their sums', () => {
    const table = stageTable('0\tinstall\t5000\t100\n12\tcheck\t6000\t100\n100\t\t22000\t900\n')
    expect(table.split('\n')).toEqual([
      ' elapsed     CPU  stolen',
      '      12      10       0  install',
      '      88     160       8  check',
      '     100     170       8  all',
    ])
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
