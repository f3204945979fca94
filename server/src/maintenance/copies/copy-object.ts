/**
 * Copies the stored objects of an asset from one pair of buckets to another. Objects never change under their key,
 * so existing copies are skipped, and an interrupted copy is simply repeated.
 */
import type {
  BucketObjects,
  FoundObject,
  ListedObject,
  ObjectName,
} from '../../platform/storage/bucket-objects.ts'
import { partBytesFor } from '../../platform/storage/parts-writer.ts'
import type { Buckets } from '../buckets.ts'
import { forEachConcurrently } from '../for-each-concurrently.ts'
import { isSameContent } from '../same-content.rules.ts'
import type { Holding, MediaHolding, SourceHolding } from '../stored-objects.ts'

export type Copied = {
  /** Number of copied objects; `objectsKept` existed already. */
  readonly objects: number
  readonly bytes: number
  readonly objectsKept: number
  /** Keys that do not exist in the source. */
  readonly missing: readonly string[]
}

/** Segments are a few megabytes, so these fit into memory. */
const OBJECTS_AT_ONCE = 4

export function copyHolding(
  from: Buckets,
  to: Buckets,
  holding: Holding,
  signal: AbortSignal,
): Promise<Copied> {
  return holding.bucket === 'uploads'
    ? copySource(from.uploads.objects, to.uploads.objects, holding, signal)
    : copyMedia(from.media.objects, to.media.objects, holding, signal)
}

/** Copies one version of one object. Its copy has another version, which `repin` finds. */
async function copySource(
  from: BucketObjects,
  to: BucketObjects,
  file: SourceHolding,
  signal: AbortSignal,
): Promise<Copied> {
  const { key, version } = file
  const isIt = (found: FoundObject | undefined) => isSameContent(file, found)
  const pinned = await from.find({ key, version }, signal)
  // A bucket that it was copied to before has another version of it.
  const source = isIt(pinned) ? pinned : await from.find({ key }, signal)
  if (!source || !isIt(source)) return { ...nothing, missing: [key] }
  const isThere =
    isIt(await to.find({ key }, signal)) || isIt(await to.find({ key, version }, signal))
  if (isThere) return { ...nothing, objectsKept: 1 }
  const name = source === pinned ? { key, version } : { key }
  return (await copyOne({ from, to, signal }, name, source)) ?? { ...nothing, missing: [key] }
}

async function copyMedia(
  from: BucketObjects,
  to: BucketObjects,
  { prefix }: MediaHolding,
  signal: AbortSignal,
): Promise<Copied> {
  const there = new Map<string, ListedObject>()
  for await (const object of to.list(prefix)) there.set(object.key, object)
  let copied = nothing
  const copy = async (object: ListedObject) => {
    const result = await copyUnlessThere({ from, to, signal }, object, there.get(object.key))
    copied = sum(copied, result)
  }
  await forEachConcurrently(from.list(prefix), { concurrency: OBJECTS_AT_ONCE, signal }, copy)
  return copied
}

async function copyUnlessThere(
  way: Way,
  listed: ListedObject,
  there: ListedObject | undefined,
): Promise<Copied> {
  if (isSameContent(listed, there)) return { ...nothing, objectsKept: 1 }
  const { key } = listed
  const found = await way.from.find({ key }, way.signal)
  // Deleted since the listing, so not missing.
  if (!found) return nothing
  // Listings also have ETags of encrypted objects, where they are no content hashes.
  const isThere =
    listed.bytes === there?.bytes && isSameContent(found, await way.to.find({ key }, way.signal))
  if (isThere) return { ...nothing, objectsKept: 1 }
  return (await copyOne(way, { key }, found)) ?? nothing
}

type Way = {
  readonly from: BucketObjects
  readonly to: BucketObjects
  readonly signal: AbortSignal
}

/** Undefined if it was deleted while it was copied. */
async function copyOne(
  { from, to, signal }: Way,
  name: ObjectName,
  { bytes, type }: FoundObject,
): Promise<Copied | undefined> {
  const partBytes = partBytesFor(bytes)
  const read = (start: number) =>
    from.read(name, { start, end: Math.min(start + partBytes, bytes) }, signal)
  if (bytes <= partBytes) {
    const body = await read(0)
    if (!body) return undefined
    await to.put(name.key, body, type, signal)
  } else {
    await using writer = await to.putInParts(name.key, type, signal)
    for (let start = 0; start < bytes; start += partBytes) {
      const body = await read(start)
      if (!body) return undefined
      await writer.write(body)
    }
    await writer.finish()
  }
  await assertWhole(to, name.key, bytes)
  return { ...nothing, objects: 1, bytes }
}

async function assertWhole(to: BucketObjects, key: string, bytes: number): Promise<void> {
  const copied = await to.find({ key })
  if (copied?.bytes === bytes) return
  throw new Error(`The copy of ${key} has ${copied?.bytes ?? 'no'} bytes, not ${bytes}`)
}

export const nothing: Copied = { objects: 0, bytes: 0, objectsKept: 0, missing: [] }

export const sum = (one: Copied, other: Copied): Copied => ({
  objects: one.objects + other.objects,
  bytes: one.bytes + other.bytes,
  objectsKept: one.objectsKept + other.objectsKept,
  missing: [...one.missing, ...other.missing],
})
