import { expect, it } from 'vitest'
import { complainTo } from './trace-complaints.ts'

function listening() {
  const told: object[] = []
  const lines: string[] = []
  let now = 1000
  const logger = {
    warn: (facts: object, line: string) => {
      told.push(facts)
      lines.push(line)
    },
  }
  const complaints = complainTo(logger as never, () => now)
  return { told, lines, complaints, pass: (seconds: number) => (now += seconds) }
}

it('one complaint a minute is told', () => {
  const { told, complaints, pass } = listening()
  complaints.error('first')
  pass(59)
  complaints.warn('second')
  expect(told).toHaveLength(1)
  pass(1)
  complaints.error('third')
  expect(told).toHaveLength(2)
})

it('an error of sending is told by its code and message, and nothing else of it', () => {
  const { told, lines, complaints } = listening()
  const headers = { authorization: 'Bearer secret' }
  complaints.error(JSON.stringify({ code: 401, message: 'Unauthorized', headers, data: 'secret' }))
  expect(told).toEqual([{ code: '401', cause: 'Unauthorized' }])
  expect(lines).toEqual(['traces are lost: the collector does not take them'])
})

it('of what is no error only that there was something, and no collector is blamed', () => {
  const { told, lines, complaints } = listening()
  complaints.warn('authorization=Bearer secret')
  expect(told).toEqual([{}])
  expect(lines).toEqual(['traces: OpenTelemetry complains'])
})
