/**
 * Finds the duration of a recording whose header was never completed (browsers write such WebM
 * files): the time of the last cluster and of the last block in it, read from the end of the file.
 */

import { TAIL_START_CODES_MAX } from '../probe-limits.ts'
import { readVint } from './vint.ts'

const CLUSTER = Buffer.from([0x1f, 0x43, 0xb6, 0x75])
const TIMESTAMP_ID = 0xe7
const SIMPLE_BLOCK_ID = 0xa3
const BLOCK_GROUP_ID = 0xa0
const BLOCK_ID = 0xa1

/** Maximum number of elements read in a cluster; long ones have a few thousand. */
const CLUSTER_ELEMENTS_MAX = 100_000
/** Maximum number of elements read in a block group, which usually starts with its block. */
const GROUP_ELEMENTS_MAX = 16

type Element = { readonly id: number; readonly start: number; readonly end: number }

/** Last timestamp, in the file's ticks (milliseconds by default). Undefined if no cluster starts in these bytes. */
export function lastTimestamp(tail: Buffer): number | undefined {
  let at = tail.lastIndexOf(CLUSTER)
  for (let tried = 0; at >= 0 && tried < TAIL_START_CODES_MAX; tried++) {
    const found = lastTimestampOfCluster(tail, at)
    if (found !== undefined) return found
    at = at > 0 ? tail.lastIndexOf(CLUSTER, at - 1) : -1
  }
  return undefined
}

function lastTimestampOfCluster(tail: Buffer, at: number): number | undefined {
  const size = readVint(tail, at + CLUSTER.length)
  if (!size) return undefined
  let clusterAt: number | undefined
  let latest = 0
  for (const element of elementsFrom(tail, size.next, CLUSTER_ELEMENTS_MAX)) {
    if (element.id === TIMESTAMP_ID) clusterAt ??= readUnsigned(tail, element)
    latest = Math.max(latest, blockOffset(tail, element) ?? 0)
  }
  return clusterAt === undefined ? undefined : clusterAt + latest
}

function* elementsFrom(tail: Buffer, start: number, countMax: number): Generator<Element> {
  let at = start
  for (let count = 0; count < countMax; count++) {
    const id = tail[at]
    const size = readVint(tail, at + 1)
    // IDs of a cluster's children are one byte long; a longer ID does not belong to the cluster.
    if (id === undefined || id < 0x80 || !size) return
    yield { id, start: size.next, end: size.next + size.value }
    at = size.next + size.value
  }
}

/** Time of a block relative to its cluster, stored after the track number. */
function blockOffset(tail: Buffer, element: Element): number | undefined {
  const block = element.id === BLOCK_GROUP_ID ? firstBlock(tail, element) : element
  if (!block || (block.id !== SIMPLE_BLOCK_ID && block.id !== BLOCK_ID)) return undefined
  const track = readVint(tail, block.start)
  return track && track.next + 2 <= tail.length ? tail.readInt16BE(track.next) : undefined
}

function firstBlock(tail: Buffer, { start, end }: Element): Element | undefined {
  for (const element of elementsFrom(tail, start, GROUP_ELEMENTS_MAX)) {
    if (element.start >= end) return undefined
    if (element.id === BLOCK_ID) return element
  }
  return undefined
}

const UNSIGNED_BYTES_MAX = 6

function readUnsigned(tail: Buffer, { start, end }: Element): number | undefined {
  const bytes = end - start
  if (bytes < 1 || bytes > UNSIGNED_BYTES_MAX || end > tail.length) return undefined
  return tail.readUIntBE(start, bytes)
}
