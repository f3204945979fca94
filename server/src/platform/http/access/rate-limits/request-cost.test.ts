import type { FastifyRequest } from 'fastify'
import { expect, it } from 'vitest'
import { pointsAtEnd, pointsAtStart } from './request-cost.ts'

const KIB = 1024

const routeOptions = { bodyLimit: 1024 * KIB } as FastifyRequest['routeOptions']
const success = { nowMs: 0, statusCode: 200 }

it.each([
  [{}, 1],
  [{ 'content-length': '0' }, 1],
  [{ 'content-length': '4095' }, 1],
  [{ 'content-length': '4096' }, 2],
  [{ 'content-length': String(1024 * KIB) }, 257],
  [{ 'content-length': 'many' }, 1],
])('a request with the headers %j uses %d points at the start', (headers, points) => {
  expect(pointsAtStart({ headers, routeOptions })).toBe(points)
})

it('a declared body beyond the limit of the route uses the points of the limit', () => {
  expect(pointsAtStart({ headers: { 'content-length': '99999999999999' }, routeOptions })).toBe(257)
})

it('a body without a declared size uses points at the end', () => {
  const received = { routeOptions, bodyBytes: 8 * KIB }
  expect(pointsAtEnd({ ...received, headers: {} }, success)).toBe(2)
  expect(pointsAtEnd({ ...received, headers: { 'content-length': '8192' } }, success)).toBe(0)
})

it('each full second in the handler uses ten points', () => {
  const request = { headers: {}, routeOptions, handlerStartMs: 5000 }
  expect(pointsAtEnd(request, { ...success, nowMs: 5999 })).toBe(0)
  expect(pointsAtEnd(request, { ...success, nowMs: 8000 })).toBe(30)
})

it('a response with a server error uses no points for time', () => {
  const request = { headers: {}, routeOptions, handlerStartMs: 5000, bodyBytes: 8 * KIB }
  expect(pointsAtEnd(request, { nowMs: 8000, statusCode: 500 })).toBe(2)
  expect(pointsAtEnd(request, { nowMs: 8000, statusCode: 503 })).toBe(2)
})

it('a request that never reached its handler uses no points for time', () => {
  expect(pointsAtEnd({ headers: {}, routeOptions }, { ...success, nowMs: 5000 })).toBe(0)
})
