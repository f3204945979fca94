/** Tests the function by which the alert tests select rules: a rule that it leaves out is not evaluated. */
import { expect, it } from 'vitest'
import { affectedRules } from '../../deploy/monitoring/affected-rules.ts'

const recorded = (name: string, expr: string) => `      - record: ${name}\n        expr: ${expr}\n`
const alert = (name: string, expr: string) => `      - alert: ${name}\n        expr: ${expr}\n`
const fileOf = (...rules: string[]) => `groups:\n  - name: some\n    rules:\n${rules.join('')}`

const file = fileOf(
  recorded('requests:rate', 'rate(requests[5m])'),
  recorded('failures:rate', 'rate(failures[5m])'),
  recorded('disk:used', 'used / size'),
  alert('TooManyFail', 'failures:rate / requests:rate > 0.1'),
  alert('DiskFull', 'disk:used > 0.9'),
)
const namesLeft = (metrics: string[]) =>
  [...affectedRules([file], metrics).matchAll(/- (?:record|alert): (\S+)/g)].map(([, name]) => name)

it('affectedRules keeps the rules that use a metric, directly or through other rules, and all inputs of these rules', () => {
  expect(namesLeft(['failures'])).toEqual(['requests:rate', 'failures:rate', 'TooManyFail'])
  expect(namesLeft(['used'])).toEqual(['disk:used', 'DiskFull'])
  expect(namesLeft(['failures', 'size'])).toHaveLength(5)
})

it('affectedRules keeps no rule if none reads the metric', () => {
  expect(namesLeft(['temperature'])).toEqual([])
})

it.each(['{job="api"}', 'count({__name__=~"reelkeep_.+"})'])('affectedRules rejects the expression %s', (expr) => {
  const nameless = fileOf(alert('Anything', expr))
  expect(() => affectedRules([nameless], ['used'])).toThrow('Cannot determine')
})
