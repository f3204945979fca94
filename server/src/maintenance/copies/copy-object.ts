/**
 * Copies the stored objects of an asset from one pair of buckets to another. Objects never change under their key,
 * so existing copies are skipped, and an interrupted copy is simply repeated. An object that storage has damaged is not
 * copied: its copy may be the only one that is intact.
 */
import { createHash } from 'node:crypto'
import type { BucketObjects, FoundObject, ListedObject, ObjectName } from '../../platform/storage/bucket-objects.ts'
import type { PutResult } from '../../platform/storage/media-bucket.ts'
import { partBytesFor } from '../../platform/storage/parts-writer.ts'
import type { Buckets } from '../buckets.ts'
import { forEachConcurrently } from '../for-each-concurrently.ts'
import { isSameContent } from '../same-content.rules.ts'
import type { StoredItem, StoredMedia, StoredSource } from '../stored-objects.ts'

export type Copied = {
  /** Number of copied objects. `objectsKept` is the number of objects that already existed in the target. */
  readonly objects: number
  readonly bytes: number
  readonly objectsKept: number
  /** Keys that do not exist in the source, or are damaged there. */
  readonly missing: readonly string[]
}

/** Objects copied concurrently. Segments are a few megabytes, so these fit into memory. */
const OBJECTS_AT_ONCE = 4

export type CopyContext = {
  readonly from: Buckets
  readonly to: Buckets
  readonly signal: AbortSignal
  /** Size and MD5 hash of the published files of the asset, by key. Others are copied as they are. */
  readonly published?: ReadonlyMap<string, PutResult>
}

const noneKnown: ReadonlyMap<string, PutResult> = new Map()

export function copyStoredItem(
  { from, to, signal, published = noneKnown }: CopyContext,
  item: StoredItem,
): Promise<Copied> {
  return item.bucket === 'uploads'
    ? copySource({ from: from.uploads.objects, to: to.uploads.objects, signal, published: noneKnown }, item)
    : copyMedia({ from: from.media.objects, to: to.media.objects, signal, published }, item)
}

/** Copies one version of one object. Its copy has another version, which `relinkVersions` finds. */
async function copySource(transfer: Transfer, file: StoredSource): Promise<Copied> {
  const { from, to, signal } = transfer
  const { key, version } = file
  const isSame = (found: FoundObject | undefined) => isSameContent(file, found)
  const linked = await from.find({ key, version }, signal)
  // If the source bucket itself contains a copy, the file has another version there.
  const source = isSame(linked) ? linked : await from.find({ key }, signal)
  if (!source || !isSame(source)) return { ...nothing, missing: [key] }
  const exists = isSame(await to.find({ key }, signal)) || isSame(await to.find({ key, version }, signal))
  if (exists) return { ...nothing, objectsKept: 1 }
  const name = source === linked ? { key, version } : { key }
  return (await copyOne(transfer, name, source)) ?? { ...nothing, missing: [key] }
}

async function copyMedia(transfer: Transfer, { prefix }: StoredMedia): Promise<Copied> {
  const { from, to, signal } = transfer
  const existing = new Map<string, ListedObject>()
  for await (const object of to.list(prefix)) existing.set(object.key, object)
  let copied = nothing
  const copy = async (object: ListedObject) => {
    const result = await copyUnlessExisting(transfer, object, existing.get(object.key))
    copied = sum(copied, result)
  }
  await forEachConcurrently(from.list(prefix), { concurrency: OBJECTS_AT_ONCE, signal }, copy)
  return copied
}

async function copyUnlessExisting(
  transfer: Transfer,
  listed: ListedObject,
  existing: ListedObject | undefined,
): Promise<Copied> {
  if (isSameContent(listed, existing)) return { ...nothing, objectsKept: 1 }
  const { key } = listed
  const found = await transfer.from.find({ key }, transfer.signal)
  // The object was deleted after the listing, so it is not missing.
  if (!found) return nothing
  const stored = transfer.published.get(key)
  if (stored && !isSameContent({ bytes: stored.bytes, etag: stored.md5.toString('hex') }, found)) {
    return { ...nothing, missing: [key] }
  }
  // Listings do not show whether an object is encrypted. The ETag of an encrypted object is not a content hash.
  const exists =
    listed.bytes === existing?.bytes && isSameContent(found, await transfer.to.find({ key }, transfer.signal))
  if (exists) return { ...nothing, objectsKept: 1 }
  return (await copyOne(transfer, { key }, found)) ?? nothing
}

type Transfer = {
  readonly from: BucketObjects
  readonly to: BucketObjects
  readonly signal: AbortSignal
  readonly published: ReadonlyMap<string, PutResult>
}

/** Returns undefined if the object was deleted while it was copied. */
async function copyOne(
  { from, to, signal, published }: Transfer,
  name: ObjectName,
  { bytes, type }: FoundObject,
): Promise<Copied | undefined> {
  const partBytes = partBytesFor(bytes)
  const read = (start: number) => from.read(name, { start, end: Math.min(start + partBytes, bytes) }, signal)
  if (bytes <= partBytes) {
    const body = await read(0)
    if (!body) return undefined
    const md5 = published.get(name.key)?.md5
    if (md5 && !createHash('md5').update(body).digest().equals(md5)) return { ...nothing, missing: [name.key] }
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
