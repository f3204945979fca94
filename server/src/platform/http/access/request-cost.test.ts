import { expect, it } from 'vitest'
import { pointsAtEnd, pointsAtStart } from './request-cost.ts'

const KIB = 1024

it.each([
  [{}, 1],
  [{ 'content-length': '0' }, 1],
  [{ 'content-length': '4095' }, 1],
  [{ 'content-length': '4096' }, 2],
  [{ 'content-length': String(1024 * KIB) }, 257],
  [{ 'content-length': 'many' }, 1],
])('a request with the headers %j uses %d points at the start', (headers, points) => {
  expect(pointsAtStart({ headers })).toBe(points)
})

it('a body without a declared size uses points at the end', () => {
  expect(pointsAtEnd({ headers: {}, bodyBytes: 8 * KIB }, 0)).toBe(2)
  expect(pointsAtEnd({ headers: { 'content-length': '8192' }, bodyBytes: 8 * KIB }, 0)).toBe(0)
})

it('each full second in the handler uses ten points', () => {
  expect(pointsAtEnd({ headers: {}, handlerStartMs: 5000 }, 5999)).toBe(0)
  expect(pointsAtEnd({ headers: {}, handlerStartMs: 5000 }, 8000)).toBe(30)
})

it('a request that never reached its handler uses no points for time', () => {
  expect(pointsAtEnd({ headers: {} }, 5000)).toBe(0)
})
