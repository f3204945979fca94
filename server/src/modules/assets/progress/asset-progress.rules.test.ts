import { describe, expect, it } from 'vitest'
import type { Rendition } from '../assets.rules.ts'
import { progressOf, renditionProgress, renditionStatus } from './asset-progress.rules.ts'

const rendition = (more: Partial<Rendition> = {}): Rendition => ({
  name: '240p',
  width: 400,
  height: 200,
  bitrateMax: 1000,
  bytes: 0,
  segmentsTotal: 10,
  segmentsDone: 0,
  segmentsUnderWay: 0,
  ...more,
})

const done = { segmentsDone: 10 }
/** A rendition with nine times as many pixels as `rendition()`. */
const large = (more: Partial<Rendition> = {}) => rendition({ width: 1200, height: 600, ...more })
const progress = (...renditions: Rendition[]) => progressOf({ status: 'Processing', renditions })

describe('the progress of an asset', () => {
  it('is 0 before planning and 100 when completed', () => {
    expect(progress()).toBe(0)
    expect(progressOf({ status: 'Completed', renditions: [rendition()] })).toBe(100)
  })

  it('weights renditions by their pixels', () => {
    expect(progress(rendition(done), large())).toBe(10)
    expect(progress(rendition(), large(done))).toBe(90)
  })

  it('includes segments that are being encoded', () => {
    expect(progress(rendition({ segmentsDone: 2, segmentsUnderWay: 1.5 }))).toBe(35)
  })

  it('is never 100 before the asset is completed', () => {
    expect(progress(rendition(done), large(done))).toBe(99)
  })
})

describe('a rendition', () => {
  it.each([
    [{}, 0],
    [{ segmentsDone: 5 }, 50],
    [{ segmentsDone: 9, segmentsUnderWay: 1 }, 99],
    [{ segmentsDone: 9, segmentsUnderWay: 5 }, 99],
    [done, 100],
  ])('with %j has a progress of %d percent', (more, percent) => {
    expect(renditionProgress(rendition(more))).toBe(percent)
  })

  it.each([
    ['Processing', {}, 'Queued'],
    ['Processing', { segmentsUnderWay: 0.1 }, 'Processing'],
    ['Processing', { segmentsDone: 1 }, 'Processing'],
    ['Processing', done, 'Completed'],
    ['Queued', {}, 'Queued'],
    ['Error', { segmentsDone: 9 }, 'Error'],
    ['Error', done, 'Completed'],
    ['Cancelled', { segmentsDone: 1 }, 'Cancelled'],
  ] as const)('of an asset in status %s, with %j, has status %s', (status, more, expected) => {
    expect(renditionStatus({ status }, rendition(more))).toBe(expected)
  })
})
