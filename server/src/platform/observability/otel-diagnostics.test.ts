import { expect, it } from 'vitest'
import { diagLogger } from './otel-diagnostics.ts'

function newDiagnostics() {
  const fields: object[] = []
  const messages: string[] = []
  let now = 1000
  const logger = {
    warn: (logged: object, message: string) => {
      fields.push(logged)
      messages.push(message)
    },
  }
  const diagnostics = diagLogger(logger as never, () => now)
  return { fields, messages, diagnostics, pass: (seconds: number) => (now += seconds) }
}

it('at most one OpenTelemetry warning per minute is logged', () => {
  const { fields, diagnostics, pass } = newDiagnostics()
  diagnostics.error('first')
  pass(59)
  diagnostics.warn('second')
  expect(fields).toHaveLength(1)
  pass(1)
  diagnostics.error('third')
  expect(fields).toHaveLength(2)
})

it('an export error is logged with its code and message only', () => {
  const { fields, messages, diagnostics } = newDiagnostics()
  const headers = { authorization: 'Bearer secret' }
  diagnostics.error(JSON.stringify({ code: 401, message: 'Unauthorized', headers, data: 'secret' }))
  expect(fields).toEqual([{ code: '401', cause: 'Unauthorized' }])
  expect(messages).toEqual(['failed to export traces to the collector'])
})

it('any other OpenTelemetry warning is logged without its text', () => {
  const { fields, messages, diagnostics } = newDiagnostics()
  diagnostics.warn('authorization=Bearer secret')
  expect(fields).toEqual([{}])
  expect(messages).toEqual(['OpenTelemetry reported a problem'])
})
